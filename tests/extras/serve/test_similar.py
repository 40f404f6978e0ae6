"""Similar programs: a renamed copy is found, what everybody was given is not, and the organiser
sees both sides.
"""

import io
import re
import zipfile
from dataclasses import replace

import pytest

from arena.author import starters
from arena.author.submissions.bot_store import BotStore
from arena.event import discovery
from arena.event.discovery.notes import Note
from arena.extras.serve import similar
from arena.extras.serve.accounts import Accounts
from tests.extras.serve.served import served
from tests.extras.serve.test_serve_accounts import sign_in
from tests.support import cup, workspaces

OWN = """
def worth(maze, here, seen):
    best, far = None, -1
    for step in maze.exits(here):
        if step not in seen and maze.width > 3:
            seen.add(step)
            length = len(maze.path(step)) * 2 + abs(step[0] - here[0])
            if length > far or (length == far and step < best):
                best, far = step, length
    return best if best is not None else max(seen, key=lambda each: each[0] ** 2)
"""
COPY = re.sub(r"\b(worth|maze|here|seen|best|far|length|step|each)\b", r"my_\1", OWN).replace(
    "\n    ", "  # mine\n    "
)
OTHER = """
class Table:
    def __init__(self):
        self.rows = {}

    def add(self, key, row):
        if key in self.rows:
            raise KeyError(key)
        self.rows[key] = [int(cell) for cell in row.split(",") if cell.strip()]
        while len(self.rows) > 100:
            del self.rows[next(iter(self.rows))]
        return sum(map(sum, self.rows.values())) / (1 + len(self.rows))
"""


def store_of(folder, **programs: str) -> BotStore:
    """Return a store with a version of each program, each of another author."""
    (folder / "bots").mkdir(exist_ok=True)
    store = BotStore(folder / "bots")
    with store.changing():
        for name, text in programs.items():
            copy = store.new_folder() / f"{name}.py"
            copy.write_text(text)
            bot = replace(discovery.from_path(copy, name), name=name)
            store.play(name, store.keep(bot, copy, Note(display=name, person=name)))
    return store


def named(found: list[similar.Similarity]) -> list[tuple[str, str]]:
    return [(each.first.name, each.second.name) for each in found]


def test_a_copy_with_other_names_and_comments_is_found(tmp_path):
    found = similar.similarities(store_of(tmp_path, ada=OWN, ben=COPY, cleo=OTHER))
    assert named(found) == [("ada@1", "ben@1")]
    assert found[0].share > 0.9
    ada, ben = found[0].evidence()
    assert next(line.text for line in ada if line.shared) == "def worth(maze, here, seen):"
    assert sum(line.shared for line in ben) > 8


def test_a_lexer_is_made_once_and_not_in_each_process_that_reads_a_program(tmp_path):
    similar._shipped_shingles()  # which is remembered, and needs lexers of other languages
    similar._lexer.cache_clear()
    similar.similarities(store_of(tmp_path, ada=OWN, ben=COPY))
    assert similar._lexer.cache_info().currsize == 1


def test_a_starter_kit_that_both_began_with_is_no_evidence(tmp_path):
    kit = (starters.find("python").folder / "bot.py").read_text()
    assert not similar.similarities(store_of(tmp_path, ada=kit + OWN, ben=kit + OTHER))


def test_what_many_authors_have_is_no_evidence(tmp_path):
    many = {
        f"author{number}": OWN.replace("3", str(number)) for number in range(similar.COMMON + 1)
    }
    assert not similar.similarities(store_of(tmp_path, **many))


def test_an_author_is_not_compared_with_the_own_versions(tmp_path):
    store_of(tmp_path, ada=OWN)
    assert not similar.similarities(store_of(tmp_path, ada=OWN.replace("3", "4")))


def test_hostile_programs_are_compared_like_any_other(tmp_path):
    hostile = ("", "\0" * 5000, "'''" * 2000, "(" * 20_000, "\u202e" + OWN)
    found = similar.similarities(
        store_of(tmp_path, ben=OWN, **{f"ada{n}": text for n, text in enumerate(hostile)})
    )
    assert named(found) == [("ada4@1", "ben@1")]
    assert all(
        "\u202e" not in line.text for each in found for side in each.evidence() for line in side
    )


def test_a_file_at_which_the_lexer_works_for_minutes_hides_no_copy(tmp_path, monkeypatch):
    monkeypatch.setattr(similar, "CPU_SECONDS", 0)
    store = store_of(tmp_path, ben=COPY, cleo=OTHER)
    with store.changing():
        copy = store.new_folder() / "ada"
        copy.mkdir()
        (copy / "bot.py").write_text(OWN)
        (copy / "blank.c").write_text("\n" * 100_000)
        store.keep(discovery.from_path(copy), copy, Note(display="ada", person="ada"))
    assert named(similar.similarities(store)) == [("ada@1", "ben@1")]


def handed_in(store: BotStore, name: str, *programs: str, **files: str) -> None:
    """Hand in versions of a bot, one program each, with these files beside it."""
    for text in programs:
        with store.changing():
            copy = store.new_folder() / name
            copy.mkdir()
            (copy / "bot.py").write_text(text)
            for file, content in files.items():
                (copy / file.replace("_", ".")).write_text(content)
            store.play(
                name,
                store.keep(discovery.from_path(copy, name), copy, Note(display=name, person=name)),
            )


BIG = {
    "lines": "# a comment\n" * 60_000,
    "one line": f"# {'x' * 700_000}\n",
    "a text": f'"""{"not a word of code " * 40_000}"""\n',
    "quoted": f"# {'it is what it is; ' * 40_000}\n".replace("it is", "it's"),
    "blank": "\n" * 500_000,
}


@pytest.mark.parametrize(
    "padding",
    [
        "lines",
        pytest.param("one line", marks=pytest.mark.soak),
        "a text",
        pytest.param("quoted", marks=pytest.mark.soak),
        pytest.param("blank", marks=pytest.mark.soak),
    ],
)
def test_a_comment_of_any_size_hides_no_copy(tmp_path, padding):
    store = store_of(tmp_path, ada=OWN, cleo=OTHER, ben=BIG[padding] + COPY)
    (pair,) = similar.similarities(store)
    assert (pair.first.name, pair.second.name, pair.share > 0.9) == ("ada@1", "ben@1", True)
    lines = [line.text for line in pair.evidence()[1] if line.shared]
    assert lines[0].startswith("def my_worth(my_maze, my_here, my_seen):")
    assert len(pair.evidence()[1]) < 1000


@pytest.mark.parametrize(
    "hidden",
    [
        'x = """\n# \n# """\n' + COPY,
        "# harmless\r" + COPY.replace("\n", "\r"),
        '"""\n# text\n"""\n' + COPY,
    ],
    ids=["a text that ends in a line like a comment", "old line ends", "a text"],
)
def test_nothing_that_looks_like_a_comment_hides_what_runs(tmp_path, hidden):
    assert named(similar.similarities(store_of(tmp_path, ada=OWN, ben=hidden))) == [
        ("ada@1", "ben@1")
    ]


def test_later_versions_do_not_hide_a_copy(tmp_path):
    store = store_of(tmp_path, ada=OWN, cleo=OTHER)
    handed_in(
        store, "ben", COPY, *(f"{OTHER}LATER = {number}\n" * number for number in range(1, 8))
    )
    found = similar.compare(store)
    assert ("ada@1", "ben@1") in named(found.pairs)
    assert not [each for each in found.omissions if each.bot == "ben"]


def test_what_plays_or_played_comes_before_the_bound_and_the_others_are_named(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(similar, "VERSIONS", 2)
    store = store_of(tmp_path, ada=OWN)
    handed_in(store, "ben", COPY, *(f"{OTHER}LATER = {number}\n" for number in range(3)))
    played = {store.versions("ben")[0].digest}
    assert named(similar.similarities(store)) == []
    assert named(similar.similarities(store, played)) == [("ada@1", "ben@1")]
    (omission,) = similar.compare(store).omissions
    assert (omission.programs, omission.versions) == ("ben@1 and 1 more version", (1, 2))
    assert "not compared, since the bot has so many versions" in omission.words
    with store.changing():
        store.play("ben", store.versions("ben")[0])  # handed in again
    assert named(similar.similarities(store)) == [("ada@1", "ben@1")]


def test_what_is_not_compared_is_named_with_the_reason(tmp_path, monkeypatch):
    for name, bound in {"MOST_READ": 50_000, "LARGEST_FILE": 20_000, "MOST_TOKENS": 1000}.items():
        monkeypatch.setattr(similar, name, bound)
    really = similar._tokens

    def tokens(text: str, lexer: object):
        if "HOSTILE" in text and lexer is not None:
            raise MemoryError
        return really(text, lexer)

    monkeypatch.setattr(similar, "_tokens", tokens)
    store = store_of(tmp_path)
    handed_in(store, "data", OTHER, book_bin="x", net_npz="x", a_dat="x", b_dat="x")
    handed_in(store, "words", OTHER + "word = word + 1\n" * 1000)
    handed_in(store, "code", OTHER + f"# it's\n'{'#' * 4000}'\n" * 6)
    handed_in(store, "file", OTHER + "#\n" * 30_000, OTHER + "#\n" * 40_000)
    handed_in(store, "slow", f"{OTHER}HOSTILE = 1\n")
    handed_in(store, "tiny", "print(1)\n")
    assert {each.programs: each.words for each in similar.compare(store).omissions} == {
        "data@1": "a.dat, b.dat, book.bin and 1 more: not compared, no program by the ending",
        "words@1": "bot.py: compared only in its first 1000 words",
        "code@1": "bot.py: compared only in its first 20 kB without comments",
        "file@1 and 1 more version": "bot.py: compared only in its first 50 kB",
        "slow@1": "bot.py: not read in time, and compared word by word, with its comments",
        "tiny@1": "it has too little of its own to be compared",
    }


@pytest.mark.slow
def test_the_organiser_sees_both_sides_and_exports_them(tmp_path):
    workspace = workspaces.make(tmp_path, boards="duel")
    store_of(tmp_path, ada=OWN + "# <script>alert(1)</script>\n", ben=COPY, cleo=OTHER)
    accounts = Accounts(workspace)
    tokens = accounts.invite("Olga", "test", organiser=True), accounts.invite("Ada", "test")
    with served(workspace) as client:
        olga, ada = (sign_in(client, token) for token in tokens)
        (link,) = re.findall(
            r'href="(/organiser/similar/[^"]+)"', olga.get("/organiser/similar").text
        )
        page = olga.get(link).text
        assert "<mark>def my_worth(my_maze, my_here, my_seen):" in page
        assert "&lt;script&gt;alert" in page
        with zipfile.ZipFile(io.BytesIO(olga.get("/organiser/jplag.zip").content)) as packed:
            names = packed.namelist()
        assert {"submissions/ada/ada.py", "submissions/ben/ben.py"} <= set(names)
        assert any(name.startswith("base-code/") for name in names)
        for path in (link, "/organiser/similar", "/organiser/jplag.zip"):
            assert ada.get(path).status_code == 403
        assert olga.get("/organiser/similar/ada@1/cleo@1").status_code == 404
    assert re.match(r"\d+ %\t\d+\tada@1\tben@1\n", cup.arena(workspace, "serve", "similar").stdout)
    assert cup.arena(workspace, "serve", "export", "programs.zip").returncode == 0
    assert zipfile.is_zipfile(workspace / "programs.zip")
    handed_in(BotStore(workspace / "bots"), "dan", "print(1)\n", book_bin="x")
    said = cup.arena(workspace, "serve", "similar").stdout
    assert "not compared\t\tdan@1\tbook.bin: not compared, no program by the ending\n" in said


def test_the_export_has_what_plays_and_what_played(tmp_path):
    store = store_of(tmp_path)
    handed_in(store, "ben", COPY, OTHER, OWN)
    first, second, _ = store.versions("ben")
    with store.changing():
        store.play("ben", second)
    with zipfile.ZipFile(io.BytesIO(similar.export(store, {first.digest}))) as packed:
        names = {name for name in packed.namelist() if "base-code" not in name}
        assert names == {"README.txt", "submissions/ben/bot.py", "earlier/ben@1/bot.py"}
        assert packed.read("submissions/ben/bot.py").decode() == OTHER
