"""Every digest of arena: no two different things have the same one, wherever a byte moves from one
part to the next.
"""

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from arena import rulefile
from arena.errors import ArenaError
from arena.event import discovery, schedules
from arena.event.discovery.files import digest_of, files_of, folder_digest
from arena.games import board_cache, boards
from arena.identity import ADDED_LATER, stated
from arena.identity import digest_of as values_digest
from arena.match.referee import bot_secret, bot_seed, facts_digest
from arena.results import memo
from arena.results.archive import Archive, records
from arena.values import Ending, Fault, Turn
from tests.support import stored

Layout = Mapping[str, object]
"""A folder: of each path the content of a file, None for a folder, or a tuple of a kind and a
text."""

BORDERS: dict[str, tuple[Layout, Layout]] = {
    "name and content": ({"ab": "c"}, {"a": "bc"}),
    "content and the next content": ({"a": "xy", "b": "z"}, {"a": "x", "b": "yz"}),
    "content and the next name": ({"a": "xb", "c": "z"}, {"a": "x", "bc": "z"}),
    "content that spells the next file": ({"a": "x\0b\0-\0001\0y"}, {"a": "x", "b": "y"}),
    "content that spells the next file in JSON": (
        {"a": 'x"],["b","file","y'},
        {"a": "x", "b": "y"},
    ),
    "size and content": ({"a": "1x"}, {"a1": "x"}),
    "names exchanged": ({"a": "x", "b": "y"}, {"a": "y", "b": "x"}),
    "folder and name": ({"a/bc": "x"}, {"ab/c": "x"}),
    "a folder more": ({"a/b/c": "x"}, {"a/b": None, "a/c": "x"}),
    "an empty file and none": ({"a": "x", "b": ""}, {"a": "x"}),
}
"""Pairs of folders that differ in files alone."""
SEEN_BY_A_BOT: dict[str, tuple[Layout, Layout]] = BORDERS | {
    "mode and content": ({"a": ("program", "x")}, {"a": "x"}),
    "modes exchanged": ({"a": ("program", "x"), "b": "x"}, {"a": "x", "b": ("program", "x")}),
    "an empty folder and none": ({"a": "x", "b": None}, {"a": "x"}),
    "an empty folder and an empty file": ({"b": None}, {"b": ""}),
    "the name of an empty folder": ({"ab/c": None}, {"a/bc": None}),
    "a link and a file": ({"a": "x", "b": ("link", "a")}, {"a": "x", "b": "x"}),
    "a link to another file": (
        {"a": "", "b": "", "c": ("link", "a")},
        {"a": "", "b": "", "c": ("link", "b")},
    ),
    "a link to another folder": (
        {"a/x": "", "b/x": "", "c": ("link", "a")},
        {"a/x": "", "b/x": "", "c": ("link", "b")},
    ),
    "a link to nothing, and none": ({"a": ("link", "gone")}, {}),
    "a link to nothing else": ({"a": ("link", "gone")}, {"a": ("link", "./gone")}),
    "a link and a file that spells it": ({"a": ("link", "b"), "b": ""}, {"a": "b", "b": ""}),
}
"""Pairs of folders in which a bot could see a difference."""


def laid_out(folder: Path, layout: Layout) -> Path:
    folder.mkdir()
    for name, content in layout.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        match content:
            case None:
                path.mkdir()
            case "link", str(target):
                path.symlink_to(target)
            case "program", str(text):
                path.write_text(text)
                path.chmod(0o755)
            case str(text):
                path.write_text(text)
                path.chmod(0o644)
    return folder


def of_a_bot(folder: Path) -> str:
    (folder / "bot.toml").write_text('command = "./a"\n')
    return discovery.from_path(folder, "bot").digest


@pytest.mark.parametrize("pair", SEEN_BY_A_BOT.values(), ids=SEEN_BY_A_BOT)
def test_two_bots_that_see_other_things_in_their_folders_have_two_digests(
    pair: tuple[Layout, Layout], tmp_path: Path
):
    one, other = (laid_out(tmp_path / f"{number}", layout) for number, layout in enumerate(pair))
    assert of_a_bot(one) != of_a_bot(other)


def of_code(folder: Path) -> str:
    return memo.code_digest([path for _, path in files_of(folder)])


def of_files_of_a_command(folder: Path) -> str:
    return digest_of(["run"], files_of(folder))


WHOLE_NAMES = [(of_files_of_a_command, name) for name in BORDERS]
LAST_NAMES = [(of_code, name) for name in BORDERS if "folder" not in name]
"""Files of code have their names without folders, and an order."""


@pytest.mark.parametrize(("digest", "name"), WHOLE_NAMES + LAST_NAMES)
def test_two_sets_of_files_have_two_digests(
    digest: Callable[[Path], object], name: str, tmp_path: Path
):
    one, other = (
        laid_out(tmp_path / f"{number}", layout) for number, layout in enumerate(BORDERS[name])
    )
    assert digest(one) != digest(other)


def test_a_bot_whose_command_spells_the_head_of_a_file_has_another_digest(tmp_path: Path):
    """When words, names and sizes were joined by NUL, these two folders had one digest, and so one
    set of results.
    """
    settings = 'command = ["run", "aa", "-", "{size}", "P"]\n'
    for size in range(200):
        honest = settings.format(size=size)
        absorbed = f"P\0bot.toml\0-\0{len(honest)}\0{honest}\0d\0-\0{{}}\0pre"
        plain = 'command = ["run"]\n'
        tail = f"pre\0bot.toml\0-\0{len(plain)}\0{plain}"
        if len(swallowed := absorbed.format(len(tail))) == size:
            break
    one = laid_out(tmp_path / "one", {"bot.toml": honest, "d": tail})
    other = laid_out(tmp_path / "other", {"aa": swallowed, "bot.toml": plain})
    assert discovery.from_path(one, "bot").digest != discovery.from_path(other, "bot").digest


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["a b"], ["a", "b"]),
        (["ab", "c"], ["a", "bc"]),
        (["a", ""], ["a"]),
        (["a\0b"], ["a", "b"]),
        ([["a"], ["b"]], [["a", "b"], []]),
        (['a","b'], ["a", "b"]),
        ([1], ["1"]),
        ([None], ["null"]),
        ([["a"], "b"], [["a", "b"]]),
        ([{"a": "b", "c": "d"}], [{"a": 'b","c":"d'}]),
        (["\ud83d\ude00"], ["\U0001f600"]),
    ],
)
def test_two_lists_of_values_have_two_digests(one: list[object], other: list[object]):
    assert values_digest(*one) != values_digest(*other)
    assert digest_of(one, []) != digest_of(other, [])


def test_the_words_of_a_command_end_where_its_build_and_its_files_begin(tmp_path: Path):
    laid_out(tmp_path / "bot", {"a": "x"})
    files = [("a", tmp_path / "bot/a")]
    head = ("a", "file", digest_of((), files))
    digests = [
        digest_of((("make", "a"), ()), files),
        digest_of((("make",), ("a",)), files),
        digest_of((("make", *head), ()), []),
        digest_of((("make",), ()), files),
        folder_digest(((), ()), tmp_path / "bot"),
        digest_of((), []),
    ]
    assert len({*digests}) == len(digests)
    commands = (["sh", "a b"], ["sh", "a", "b"], ["sh a", "b"], ["sh", "a", "b", ""])
    made = [discovery.from_command("bot", command, tmp_path).digest for command in commands]
    assert len({*made}) == len(made)


@pytest.mark.parametrize("ours", [0o611, 0o701, 0o710, 0o755])
def test_a_bot_that_somebody_may_run_has_one_digest_whoever_reads_it(ours: int, tmp_path: Path):
    from arena.event import bot_folder

    bot = laid_out(tmp_path / "bot", {"main": ("program", "#!/bin/sh\n")})
    whole = discovery.from_path(bot, "bot").digest
    (bot / "main").chmod(ours)
    assert folder_digest(((), ()), bot) == folder_digest(
        ((), ()), laid_out(tmp_path / "like", {"main": ("program", "#!/bin/sh\n")})
    )
    bot_folder.copy(bot, tmp_path / "copy")
    assert bot_folder.is_whole(tmp_path / "copy", whole)


RULES = """
from dataclasses import dataclass

from arena.game import Game

from .parts import grid as inner
from . import grid


@dataclass(frozen=True)
class Two(Game):
    roles = ("a",)
    sides = (("a",),)

    def board(self): return ()
    def start(self): return 0
    def to_move(self, state): return ()
    def legal_moves(self, state, role): return ()
    def play(self, state, moves): return state
    def outcome(self, state): return None
    def view(self, state, role): return ()


game = Two
"""


def rules_in(folder: Path, near: str, deep: str) -> Path:
    laid_out(
        folder, {"two.py": RULES, "grid.py": near, "parts/__init__.py": "", "parts/grid.py": deep}
    )
    return folder / "two.py"


def test_rules_whose_files_of_one_name_are_exchanged_are_another_board(tmp_path: Path):
    texts = ("HERE = 1\n", "HERE = 2\n")
    one, other = rules_in(tmp_path / "one", *texts), rules_in(tmp_path / "other", *reversed(texts))
    assert [*rulefile.named_sources(one)] == [
        "grid.py",
        "parts/__init__.py",
        "parts/grid.py",
        "two.py",
    ]
    found = [boards.board_of(path, "default") for path in (one, other)]
    assert found[0].digest != found[1].digest
    entries = [board_cache.file_of(tmp_path, path, {}, "key") for path in (one, other)]
    assert entries[0] != entries[1]


def test_a_line_that_moves_between_the_files_of_two_schedules_makes_another_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    schedules.find("round_robin")
    digests = []
    for number, texts in enumerate(
        (("x = 1\n", "y = 2\n"), ("x = 1\ny = 2\n", ""), ("", "x = 1\ny = 2\n"))
    ):
        folder = laid_out(tmp_path / f"{number}", {"a.py": texts[0], "b.py": texts[1]})
        monkeypatch.setattr(schedules, "__path__", [str(folder)])
        monkeypatch.setattr(schedules, "is_shipped", lambda _name: True)
        digests.append(schedules.code_digest("round_robin"))
    assert len({*digests}) == 3


def test_two_positions_have_two_digests():
    positions = [
        (),
        ("",),
        ("", ""),
        ("a b",),
        ("a", "b"),
        ("a\nb",),
        ("ab", ""),
        ("", "ab"),
        ('a","b',),
    ]
    assert len({facts_digest(facts) for facts in positions}) == len(positions)


def test_the_seeds_and_secrets_of_two_roles_or_matches_are_two():
    seats = [("1", "a"), ("11", "a"), ("1", "1a"), ("1", "a/a"), ("", "1/a")]
    assert len({bot_seed(*seat) for seat in seats}) == len(seats)
    assert len({bot_secret(*seat) for seat in seats if seat[0]}) == len(seats) - 1


MATCH = next(iter(stored.plan(stored.event("ann", "bob"))))


def turns(*rows: tuple[int, str, str, str]) -> tuple[Turn, ...]:
    return tuple(Turn(number, role, move, by) for number, role, by, move in rows)


def test_two_matches_that_went_differently_have_two_transcripts():
    """A move, a role or a reason in a stranger's archive may spell whatever comes after it."""
    played = stored.played(MATCH, turns=0, explorer=50)
    plain = replace(played, turns=turns((1, "a", "bot", "x"), (2, "b", "bot", "y")))
    fault = Fault(role="a", ending=Ending.TIMEOUT, turn=1, words="")
    verdict = plain.verdict
    others = [
        replace(plain, turns=turns((1, "a", "bot", "x\n2 b bot y"))),
        replace(plain, turns=turns((1, "a bot", "bot", "x"), (2, "b", "bot", "y"))),
        replace(plain, turns=turns((1, "a", "bot", "bot x"), (2, "b", "bot", "y"))),
        replace(plain, turns=turns((1, "a", "opening", "x"), (2, "b", "bot", "y"))),
        replace(plain, verdict=replace(verdict, faults=(fault,))),
        replace(plain, verdict=replace(verdict, reason=f"{verdict.reason}\n")),
        replace(plain, turns=(), verdict=replace(verdict, reason="1 a bot x\n2 b bot y")),
        replace(plain, match=replace(MATCH, sampled="{}")),
    ]
    numbers = [records.transcript(record) for record in (plain, *others)]
    assert len({*numbers}) == len(numbers)


def test_the_mark_of_the_results_tells_their_parts_apart(tmp_path: Path):
    marks = []
    for number, (plan, marked) in enumerate((("a-b", "c"), ("a", "b-c"), ("a-b-c", None))):
        folder = tmp_path / f"{number}"
        stored.store(folder, stored.event("ann", "bob"), [])
        with closing(sqlite3.connect(folder / "event.sqlite")) as connection, connection:
            connection.execute("delete from meta where key in ('plan', 'marked')")
            for key, value in (("plan", plan), ("marked", marked)):
                if value is not None:
                    connection.execute("insert into meta (key, value) values (?, ?)", (key, value))
        with Archive.open(folder) as archive:
            marks.append(archive.cache_version())
    assert len({*marks}) == 3


@dataclass(frozen=True, kw_only=True)
class Grown:
    """A value that got a field after some of it were stored."""

    old: int = 1
    new: int = field(default=0, metadata=ADDED_LATER)


def test_a_field_that_was_added_later_changes_no_digest_of_what_was_stored():
    assert stated(Grown(), ["old", "new"]) == {"old": 1}
    assert stated(Grown(new=2), ["old", "new"]) == {"old": 1, "new": 2}
    assert stated(Grown(new=2), ["old"]) == {"old": 1}


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path):
    with pytest.raises(ArenaError, match="gone: cannot be read"):
        digest_of((), [("gone", tmp_path / "gone")])
