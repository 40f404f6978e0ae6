"""Extensions: what the folders of arena/extras/ and installed packages add, and that the core plays
without them.
"""

import importlib
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import threading
import venv
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from arena import charts, extensions, open_results
from arena.errors import ArenaError
from arena.event import config, elsewhere
from arena.event.config import extended
from arena.match import seating
from tests.support import cup, extras, workspaces

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "extensions.md").read_text()


def blocks() -> dict[str, str]:
    """Return the files of the page, by name."""
    return dict(re.findall(r"^`([\w.]+)`:\n\n```\w+\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))


@pytest.fixture(scope="module")
def package(tmp_path_factory) -> Path:
    """The folder in which pip has installed a wheel of the page's files."""
    source = tmp_path_factory.mktemp("source")
    for name, text in blocks().items():
        (source / name).write_text(text)
    installed = source / "installed"
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel"]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (wheel,) = (source / "dist").glob("*.whl")
    zipfile.ZipFile(wheel).extractall(installed)  # as pip does, which takes three seconds for that
    return installed


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> Path:
    """A workspace with a small event."""
    folder = workspaces.make(
        tmp_path_factory.mktemp("played"), {"first": cup.FIRST, "last": cup.LAST}, "mummy_maze/hunt"
    )
    assert cup.arena(folder, "run", "--no-charts").returncode == 0
    return folder


def arena(folder: Path, path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run arena as a user would, with the packages of a folder installed."""
    return subprocess.run(
        [sys.executable, "-m", "arena", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(path)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def installed(monkeypatch) -> Iterator[Callable[[Path], None]]:
    """Let this process find the packages in a folder, as if they were installed."""

    def add(folder: Path) -> None:
        monkeypatch.syspath_prepend(folder)
        forget()

    yield add
    monkeypatch.undo()
    forget()


def forget() -> None:
    """Forget what extensions there are, as a new process would not know it."""
    for known in (charts._modules, seating.added_kinds, extended.tournament_class, extended.tables):
        known.cache_clear()


@pytest.mark.slow
def test_the_package_of_the_page_adds_a_command_a_chart_and_an_option(package, played, installed):
    installed(package)
    assert "streaks " in cup.arena(played, "--help").stdout
    assert "The folder of the results." in cup.arena(played, "streaks", "--help").stdout
    table = cup.arena(played, "streaks", "results/cup")
    assert table.returncode == 0, table.stderr
    assert re.search(r"^ *first +\d+$", table.stdout, re.MULTILINE)
    assert "--runs" in cup.arena(played, "leaderboard", "--help").stdout
    assert cup.arena(played, "leaderboard", "cup", "--runs").stdout == table.stdout
    assert "rating" in cup.arena(played, "leaderboard", "cup").stdout
    assert isinstance(charts.render("streaks", open_results(played / "results/cup")), Figure)


class Inbox(BaseHTTPRequestHandler):
    """Takes each message that is posted."""

    def do_POST(self) -> None:
        self.server.texts.append(
            json.loads(self.rfile.read(int(self.headers["Content-Length"])))["text"]
        )
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.slow
def test_the_observer_of_the_page_posts_each_match_of_a_run(tmp_path, installed, monkeypatch):
    (tmp_path / "site").mkdir()
    (code,) = [
        code
        for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
        if "MatchWebhook" in code
    ]
    (tmp_path / "site/match_webhook.py").write_text(code)
    _declare(tmp_path / "site", "match_webhook", "match_webhook:EXTENSION")
    installed(tmp_path / "site")
    with ThreadingHTTPServer(("127.0.0.1", 0), Inbox) as server:
        server.texts = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("MATCH_WEBHOOK", f"http://127.0.0.1:{server.server_port}/")
        folder = workspaces.make(
            tmp_path / "ws", {"first": cup.FIRST, "last": cup.LAST}, "mummy_maze/hunt"
        )
        done = cup.arena(folder, "run", "--no-charts")
        server.shutdown()
    assert done.returncode == 0, done.stderr
    assert len(server.texts) == 2
    assert all(
        re.fullmatch(r"cup: (first|last) \d+, (first|last) \d+", text) for text in server.texts
    )


def test_an_extension_that_takes_a_command_of_arena_is_refused_in_the_help(tmp_path, installed):
    (tmp_path / "thief.py").write_text(
        "from arena.extensions import AddedCommand, Extension\n"
        "EXTENSION = Extension(commands=(AddedCommand(name='run', line='Mine.', "
        "path='thief:run'),))\n"
    )
    _declare(tmp_path, "thief", "thief:EXTENSION")
    installed(tmp_path)
    done = cup.arena(tmp_path, "--help")
    assert done.returncode == 0
    assert "Play the event of a tournament.toml" in done.stdout
    assert "extension thief: there is a command 'run' already" in done.stderr
    assert cup.arena(tmp_path, "games").returncode == 0


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (
            "raise OSError('gone')",
            "extension lame: lame:EXTENSION: OSError: gone; install its package again",
        ),
        ("EXTENSION = 3", "extension lame: lame:EXTENSION is no arena.extensions.Extension"),
    ],
)
def test_a_damaged_extension_is_one_line_with_its_name(tmp_path, installed, code, words):
    (tmp_path / "lame.py").write_text(code)
    _declare(tmp_path, "lame", "lame:EXTENSION")
    sys.modules.pop("lame", None)
    installed(tmp_path)
    done = cup.arena(tmp_path, "--help")
    assert done.returncode == 0
    assert words in done.stderr
    done = cup.arena(tmp_path, "lamed")  # it may be a command of the package
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


LOUD = """\
from typing import Annotated
import typer
from arena.cli import bots as core
from arena.extensions import AddedOptions, Extension
EXTENSION = Extension(options=(
    AddedOptions(command="bots", path="{name}:bots"), AddedOptions(command="gone", path="{name}:gone"),
))
def bots(*, json: bool = False, {option}: Annotated[{kind}, typer.Option({words}help="Say more.")]{default}) -> None:
    print("{name}", json, {option})
    core.bots(json=json)
"""


def _loud(
    folder: Path, name: str, option: str = "loud", words: str = "", kind="bool", default=" = False"
) -> None:
    """Write a package that adds an option to `arena bots`."""
    sys.modules.pop(name, None)
    code = LOUD.format(name=name, option=option, words=words, kind=kind, default=default)
    (folder / f"{name}.py").write_text(code)
    _declare(folder, name, f"{name}:EXTENSION")


def test_an_added_option_takes_its_command_over_and_gets_the_values_of_the_others(
    tmp_path, installed
):
    _loud(tmp_path, "loud", kind="int", default=" = 0")
    installed(tmp_path)
    plain = cup.arena(ROOT, "bots")
    assert "Say more." in cup.arena(ROOT, "bots", "--help").stdout
    for words in (("--loud", "3"), ("--loud=3",)):
        assert cup.arena(ROOT, "bots", *words).stdout == f"loud False 3\n{plain.stdout}"
    assert cup.arena(ROOT, "bots", "--json", "--loud", "1").stdout.startswith("loud True 1\n[")
    assert cup.arena(ROOT, "bots", "--loud", "0").stdout == plain.stdout
    wrong = cup.arena(ROOT, "bots", "--lout", "3")
    assert wrong.returncode == 2
    assert "--loud" in wrong.stderr  # as the one that was meant
    assert cup.arena(ROOT, "games", "--loud", "3").returncode == 2


SPARING = """\
from typing import Annotated
import typer
from arena.extensions import AddedOptions, Extension
EXTENSION = Extension(options=(AddedOptions(command="withdraw", path="sparing:withdraw"),))
def withdraw(
    name: str | None = None,
    everything: Annotated[bool, typer.Option(help="Say more.")] = False,
) -> None:
    print(name)
"""


def test_an_added_option_may_spare_the_command_its_argument(tmp_path, installed):
    sys.modules.pop("sparing", None)
    (tmp_path / "sparing.py").write_text(SPARING)
    _declare(tmp_path, "sparing", "sparing:EXTENSION")
    installed(tmp_path)
    assert cup.arena(ROOT, "withdraw", "--everything").stdout == "None\n"
    assert cup.arena(ROOT, "withdraw", "ada", "--everything").stdout == "ada\n"
    missing = cup.arena(ROOT, "withdraw")
    assert (missing.returncode, "NAME" in missing.stderr) == (2, True)


def test_no_package_is_looked_for_where_a_command_has_all_options_of_its_line(
    tmp_path, installed, monkeypatch
):
    _loud(tmp_path, "loud")
    installed(tmp_path)
    extended.tables()  # of tournament.toml: those of packages are looked for in any case
    extended.tournament_class()
    monkeypatch.setattr(extensions, "installed", lambda: pytest.fail("packages were looked for"))
    assert cup.arena(ROOT, "bots", "--json").returncode == 0


def test_options_of_two_extensions_are_refused_in_one_line(tmp_path, installed):
    _loud(tmp_path, "loud")
    _loud(tmp_path, "shrill", option="shrill")
    installed(tmp_path)
    assert cup.arena(ROOT, "bots", "--shrill").stdout.startswith("shrill False True")
    done = cup.arena(ROOT, "bots", "--shrill", "--loud")
    assert done.returncode == 2
    assert done.stderr.strip().endswith(
        "arena bots: options of loud and of shrill do not go together; name those of one"
    )


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ({"option": "loud"}, "`arena bots` has an option 'loud' of the extension loud already"),
        ({"option": "shrill", "words": '"--loud", '}, "`arena bots` has an option --loud already"),
        ({"option": "shrill", "words": '"--json", '}, "`arena bots` has an option --json already"),
        ({"option": "shrill", "default": ""}, "its option 'shrill' of `arena bots` has no default"),
    ],
)
def test_an_extension_replaces_no_option(tmp_path, installed, second, words):
    _loud(tmp_path, "loud")
    _loud(tmp_path, "shrill", **second)
    installed(tmp_path)
    done = cup.arena(ROOT, "bots", "--loud")
    assert done.returncode == 2
    assert f"extension shrill: {words}; uninstall its package, or have it mended" in done.stderr
    assert "Traceback" not in done.stderr
    shown = cup.arena(ROOT, "bots", "--help")
    assert shown.returncode == 0
    assert "extension shrill: " in shown.stderr
    assert "--json" in shown.stdout


def test_two_extensions_with_a_chart_of_one_name_are_refused(monkeypatch):
    two = {
        name: extensions.Extension(charts={"ribbon": f"{name}.ribbon"}) for name in ("one", "two")
    }
    monkeypatch.setattr(extensions, "every", lambda: iter(two.items()))
    with pytest.raises(
        ArenaError, match=r"^extension two: another one has a chart 'ribbon' already"
    ):
        extensions.charts()


LEDGER = """\
from typing import Annotated
from pydantic import BeforeValidator, Field
from arena.errors import ArenaError
from arena.event.tables import ExtensionTable, Table, as_tuple
from arena.extensions import AddedTable, Extension


class Entry(Table):
    page: int = Field(ge=1)


class Ledger(ExtensionTable):
    pages: int = Field(3, gt=0)
    time: float = Field(1.0, gt=0)
    entry: Annotated[tuple[Entry, ...], BeforeValidator(as_tuple)] = ()

    def check(self, boards, bots):
        if len(bots) > self.pages:
            raise ArenaError(f"ledger.pages: {len(bots)} bots on {len(boards)} boards need more")

    def in_duel(self):
        return None


EXTENSION = Extension(tables={"ledger": AddedTable(path="ledger:Ledger", line="Pages.")})
"""


@pytest.fixture
def ledger(tmp_path, installed) -> Path:
    """A folder for a tournament.toml, which has a table of an installed package."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "ledger.py").write_text(LEDGER)
    _declare(tmp_path / "site", "ledger", "ledger:EXTENSION")
    sys.modules.pop("ledger", None)
    installed(tmp_path / "site")
    return tmp_path


def test_a_table_of_an_extension_survives_the_way_to_another_process(ledger):
    (ledger / "tournament.toml").write_text('name = "cup"\nboards = []\n[ledger]\npages = 7\n')
    read = config.load(ledger / "tournament.toml")
    there = pickle.loads(pickle.dumps(read))
    assert there == read
    assert there.table("ledger").pages == 7


def test_a_mistake_in_the_table_of_an_extension_is_one_line_with_its_key(ledger):
    text = 'name = "cup"\nboards = []\n[ledger]\npage = 7\ntime = 0\n[[ledger.entry]]\npage = 0\n'
    (ledger / "tournament.toml").write_text(text)
    with pytest.raises(ArenaError) as refused:
        config.load(ledger / "tournament.toml")
    lines = str(refused.value).splitlines()
    assert any("ledger.page: unknown key; did you mean" in line for line in lines)
    assert any("ledger.time: expected more than 0, not 0" in line for line in lines)
    assert any("[[ledger.entry]] 1: page: expected 1 or more, not 0" in line for line in lines)


def test_a_table_of_an_extension_refuses_bots_that_do_not_fit_it_but_no_duel(ledger):
    workspace = workspaces.make(
        ledger / "workspace", {"a": cup.FIRST, "b": cup.LAST, "c": cup.LAST}, "hunt"
    )
    with (workspace / "tournament.toml").open("a") as file:
        file.write("[ledger]\npages = 1\n")
    refused = cup.arena(workspace, "run", "--plan")
    assert cup.refused(refused, "ledger.pages: 3 bots on 1 boards need more")
    done = cup.arena(workspace, "duel", "a", "b", "--max-pairings", "1")
    assert done.returncode == 3, done.stderr  # it was played, and one pairing decides nothing


def test_every_extra_has_a_page_and_names_it():
    for name in extensions.extras():
        page = f"docs/extras/{name}.md"
        assert (ROOT / page).is_file()
        assert page in (importlib.import_module(f"arena.extras.{name}").__doc__ or "")


POSTCARD = """\
from markupsafe import Markup, escape
from pydantic import Field
from arena.event.elsewhere import Elsewhere
from arena.event.tables import Table
from arena.event.workers import Workers
from arena.extensions import AddedLanes, AddedSection, Extension
from arena.match.seat import SingleSeat, report_of_nobody
from arena.protocol import Reply


class Seat:
    def __init__(self, seat):
        self.seat = seat

    def ask(self, ask):
        which = -1 if self.seat.bot.command[1] == "last" else 0
        return Reply(line=b"ready" if ask.ready else ask.legal[which].encode())

    def end(self, text):
        pass

    def close(self):
        pass

    def report(self):
        return report_of_nobody(self.seat)


def seats(seats, resources):
    return [SingleSeat(seat.role, Seat(seat)) for seat in seats if seat.bot.command[:1] == ("postcard",)]


class Keys(Table):
    post: str | None = Field(None, description="Where the lanes are.")
    ship: str | None = Field(None, description="Where other lanes are.")


def lanes_of(tournament):
    return lanes_at(tournament.table("workers").post)


def lanes_on_ship(tournament):
    return lanes_at(tournament.table("workers").ship)


def lanes_at(where):
    if where is None or where == "none":
        return None

    def opened(notice):
        notice(f"a letter goes to {where}")
        return lambda event, logs, pin: Workers(1)

    return Elsewhere(where=f"at {where}", opened=opened)


class Heard:
    def __init__(self, event, folder):
        self.path = folder / "heard.txt"

    def write(self, line):
        with self.path.open("a") as file:
            file.write(f"{line}\\n")

    def begins(self, planned, finished):
        self.write(f"{planned} planned")

    def absent(self, bot, fault):
        self.write(f"{bot} absent")

    def finished(self, record):
        self.write(" ".join(seat.bot.name for seat in record.match.seats))

    def aborted(self, abort):
        self.write("aborted")


def section(results):
    return Markup("<p>by post: {}</p>").format(results.event.name)


def plain(results):
    return "<b>"


EXTENSION = Extension(
    audiences=("postcard:Heard",),
    seats=("postcard:seats",),
    keys={"workers": "postcard:Keys"},
    lanes=(
        AddedLanes(address="ship:.*", example="a ship", key="workers.ship", path="postcard:lanes_on_ship"),
        AddedLanes(address="post:.*", example="an office such as post:1010", key="workers.post",
                   path="postcard:lanes_of"),
    ),
    sections={"post": AddedSection(page="postcard:section"), "plain": AddedSection(page="postcard:plain")},
)
"""


@pytest.fixture
def postcard(tmp_path, installed) -> Path:
    """A workspace with a bot of a kind that an installed package brings, beside the same bots as
    programs.
    """
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "postcard.py").write_text(POSTCARD)
    _declare(tmp_path / "site", "postcard", "postcard:EXTENSION")
    sys.modules.pop("postcard", None)
    installed(tmp_path / "site")
    folder = workspaces.make(tmp_path / "workspace", boards="mummy_maze/hunt")
    (folder / "bots" / "far").mkdir()
    (folder / "bots" / "far" / "bot.toml").write_text('command = "postcard last"\n')
    return folder


def test_a_kind_of_seat_of_an_installed_package_plays_an_event(postcard):
    with cup.first_chart_only():
        assert cup.arena(postcard, "run").returncode == 0
    seats = open_results(postcard / "results/cup").seats().set_index("bot")
    assert set(seats["ending"]) == {None}
    assert sorted(seats.loc["far", "turns"]) == sorted(
        seats.loc["last", "turns"]
    )  # it plays what that program plays
    heard = (postcard / "results/cup/heard.txt").read_text().splitlines()
    assert heard[0] == "6 planned"
    assert sorted(line.count("far") for line in heard[1:]) == [0, 0, 1, 1, 1, 1]
    page = (postcard / "results/cup/report.html").read_text()
    assert "<p>by post: cup</p>" in page
    assert "&lt;b&gt;" in page  # what is no Markup is escaped


@pytest.mark.soak
def test_lanes_elsewhere_of_an_installed_package_play_an_event(postcard):
    assert elsewhere.help_of_workers().endswith("or an office such as post:1010.")
    done = cup.arena(postcard, "run", "--no-charts", "--workers", "post:1010")
    assert done.returncode == 0, done.stderr
    assert "a letter goes to post:1010" in done.stderr
    assert "6 matches, at post:1010" in done.stderr
    assert 'post = "post:1010"' in (postcard / "results/cup/tournament.toml").read_text()
    done = cup.arena(
        postcard,
        "run",
        "--no-charts",
        "--workers",
        "1",
        "--name",
        "here",
        "--set",
        "workers.post=mars",
    )
    assert "6 matches, 1 at a time" in done.stderr
    assert cup.refused(
        cup.arena(postcard, "run", "--workers", "nowhere:1"), "expected auto, or a number"
    )


def test_two_lanes_elsewhere_are_refused_by_their_keys(postcard):
    words = ("--set", "workers.post=mars", "--set", "workers.ship=venus")
    refused = cup.arena(postcard, "run", *words)
    assert refused.returncode == 2
    assert "each names other lanes for the matches; leave one of them out" in refused.stderr


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("workers", "extension two: there is a key workers.post already"),
        (
            "notify",
            "extension two: tournament.toml has no table 'notify' to which keys can be added",
        ),
    ],
)
def test_keys_for_which_there_is_no_place_are_refused_in_one_line(
    postcard, monkeypatch, table, words
):
    one, two = (extensions.Extension(keys={name: "postcard:Keys"}) for name in ("workers", table))
    both = {"one": one, "two": two}
    monkeypatch.setattr(extensions, "every", lambda: iter(both.items()))
    forget()
    try:
        with pytest.raises(ArenaError, match=words):
            extended.tables()
    finally:
        monkeypatch.undo()
        forget()


def _declare(folder: Path, name: str, path: str) -> None:
    """Write what pip leaves of a package with this entry point."""
    info = folder / f"{name}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {name}\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[arena.extensions]\n{name} = {path}\n")


# Without an extra
# ----------------


def copied(folder: Path, *without: str) -> Path:
    """Copy what the core needs, without these extras."""
    for name in ("arena", "rules", "bots", "docs", "results"):
        # With what Python has compiled: it is as new as the source, so each copy need not do that.
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("demo"))
    for name in ("botarena.py", "tournament.toml", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    for name in without:
        shutil.rmtree(folder / "arena/extras" / name)
    return folder


NAMES = sorted(extensions.extras())
LEFT_OUT = [
    pytest.param(NAMES, id="all"),
    *(pytest.param([name], id=name, marks=pytest.mark.soak) for name in NAMES),
]


REFUSED = {
    "models": "model: unknown key",
    "serve": "remote: unknown key",
    "classroom": "grade: unknown key",
    "cluster": "expected auto, or a number",
}
"""What a run says of a key or a word of an extra that is left out."""
ALL_IN_TURN = """\
import contextlib, io, json, sys
from arena.cli import main
done = []
for words in json.loads(sys.argv[1]):
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in "ab"]
    sys.argv = ["arena", *words]
    try:
        with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
            main()
        code = 0
    except SystemExit as end:
        code = end.code
    done.append([words, code, *(stream.buffer.getvalue().decode() for stream in streams)])
print(json.dumps(done))
"""
"""A program that does several commands of arena, whose imports take longer than the commands."""


def all_in_turn(
    folder: Path, *commands: Sequence[str]
) -> Iterator[subprocess.CompletedProcess[str]]:
    """Yield what each of these commands does, which a copy of arena in this folder runs."""
    done = subprocess.run(
        [sys.executable, "-c", ALL_IN_TURN, json.dumps(commands)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    for fields in json.loads(done.stdout):
        yield subprocess.CompletedProcess(*fields)


@pytest.mark.slow
@pytest.mark.parametrize("names", LEFT_OUT)
def test_without_an_extra_the_core_plays_and_its_help_lists_what_is_left(names, tmp_path):
    folder = copied(tmp_path, *names)
    # To sample the boards of the demo takes longer than all else.
    run = ["run", "--set", "boards=['mummy_maze/hunt']"]
    if "serve" in names:
        (folder / "bots/far").mkdir()
        # It plays only where there are remote seats.
        (folder / "bots/far/bot.toml").write_text('remote = "1"\n')
    of_extras = {
        "contest": ["init", "--help"],
        "models": [*run, "--set", "model.name=m", "--plan"],
        "serve": [*run, "--set", "remote.rated=true", "--plan"],
        "classroom": ["run", "--set", "grade.threshold=[]", "--plan"],
        "cluster": [*run, "--workers", "local:2"],
    }
    of_extras = {name: words for name, words in of_extras.items() if name in names}
    listed, docs, planned, *others = all_in_turn(
        folder, ["--help"], ["docs"], [*run, "--plan"], *of_extras.values()
    )
    gone = [extensions.extras()[name] for name in names]
    commands = {command.name for extension in gone for command in extension.commands}
    assert "leaderboard" in listed.stdout
    assert not commands & {*re.findall(r"^  ([a-z-]+) ", listed.stdout, re.MULTILINE)}
    pages = {line.split()[0] for line in docs.stdout.splitlines() if line.strip()}
    assert not {*names} & pages
    assert planned.returncode == 0, planned.stderr
    assert "far" not in planned.stdout
    for name, done in zip(of_extras, others, strict=True):
        if name == "contest":
            assert "--contest" not in done.stdout
        else:
            assert done.returncode == 2, done.stdout
            assert REFUSED[name] in done.stderr
    done = arena(folder, folder, *run, "--set", "repeats=1", "--bot", "dice,walker", "--no-charts")
    assert done.returncode == 0, done.stderr
    assert (folder / "results/demo/leaderboard.csv").is_file()


@pytest.mark.slow
def test_a_module_of_the_core_that_imports_an_extra_fails_the_check_of_imports(tmp_path):
    folder = copied(tmp_path)
    (folder / "arena/extras/sample").mkdir()
    (folder / "arena/extras/sample/__init__.py").touch()
    (folder / "arena/event/eager.py").write_text("import arena.extras.sample\n")
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as check; check()",
        "--no-cache",
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    broken = re.findall(r"^- (arena\S* -> arena\S*) ", done.stdout, re.MULTILINE)
    assert broken == ["arena.event.eager -> arena.extras.sample"]


def tree_without(folder: Path, names: Iterable[str]) -> Path:
    """Copy the whole tree without these extras and their tests; return the Python that imports the
    copy.

    It is that of a venv, so that the commands which the tests start import the copy, too.
    """
    ignored = shutil.ignore_patterns(".git", ".venv", ".*_cache", "demo")
    shutil.copytree(ROOT, folder, ignore=ignored, symlinks=True)
    for name in names:
        shutil.rmtree(folder / "arena/extras" / name)
        shutil.rmtree(folder / "tests/extras" / name, ignore_errors=True)
    venv.create(folder / ".venv", symlinks=True)
    (packages,) = (folder / ".venv/lib").glob("python*/site-packages")
    # All of them, since this may be a test of a copy.
    shared = [Path(path) for path in sys.path if Path(path).name == "site-packages"]
    (packages / "copy.pth").write_text("\n".join(map(str, [folder, *shared])))
    # A confined bot reads the packages of its own venv only, and that of docs/rl.md needs numpy.
    for part in shared[0].glob("numpy*"):
        shutil.copytree(part, packages / part.name)
    return folder / ".venv/bin/python"


def tried(folder: Path, names: Iterable[str], *words: str) -> None:
    """Run tests of the core in a tree without these extras."""
    python = tree_without(folder, names)
    command = [str(python), "-m", "pytest", "-q", "--ignore", "tests/extras", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


@pytest.mark.soak
@pytest.mark.parametrize(
    "names",
    [pytest.param([name], marks=extras.needs(name)) for name in ("serve", "classroom")],
    ids=str,
)
def test_without_an_extra_what_is_made_of_the_code_and_the_options_of_commands_hold(
    tmp_path, names
):
    tried(tmp_path / "tree", names, "tests/house/test_pages.py", "tests/cli/test_cli_options.py")


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "names", [*([name] for name in extensions.extras()), [*extensions.extras()]], ids=str
)
def test_without_an_extra_or_any_the_suite_of_the_core_is_green(tmp_path, names):
    tried(tmp_path / "tree", names, "-n", "2", "tests")
