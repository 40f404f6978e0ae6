"""Similar programs: a renamed copy is found, what everybody was given is not, and the organiser sees both sides."""

import io
import re
import zipfile
from dataclasses import replace

import cup
from served import served
from test_serve_accounts import sign_in

from arena.author import similar, starters
from arena.author.submissions.bot_store import BotStore
from arena.event import discovery
from arena.event.discovery.notes import Note
from arena.serve.accounts import Accounts

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


def test_a_starter_kit_that_both_began_with_is_no_evidence(tmp_path):
    kit = (starters.find("python").folder / "bot.py").read_text()
    assert not similar.similarities(store_of(tmp_path, ada=kit + OWN, ben=kit + OTHER))


def test_what_many_authors_have_is_no_evidence(tmp_path):
    many = {f"author{number}": OWN.replace("3", str(number)) for number in range(similar.COMMON + 1)}
    assert not similar.similarities(store_of(tmp_path, **many))


def test_an_author_is_not_compared_with_the_own_versions(tmp_path):
    store_of(tmp_path, ada=OWN)
    assert not similar.similarities(store_of(tmp_path, ada=OWN.replace("3", "4")))


def test_hostile_programs_are_compared_like_any_other(tmp_path):
    hostile = ("", "\0" * 5000, "'''" * 2000, "(" * 20_000, "\u202e" + OWN)
    found = similar.similarities(store_of(tmp_path, ben=OWN, **{f"ada{n}": text for n, text in enumerate(hostile)}))
    assert named(found) == [("ada4@1", "ben@1")]
    assert all("\u202e" not in line.text for each in found for side in each.evidence() for line in side)


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


def test_the_organiser_sees_both_sides_and_exports_them(tmp_path):
    workspace = cup.make(tmp_path)
    store_of(tmp_path, ada=OWN + "# <script>alert(1)</script>\n", ben=COPY, cleo=OTHER)
    accounts = Accounts(workspace)
    tokens = accounts.invite("Olga", "test", organiser=True), accounts.invite("Ada", "test")
    with served(workspace) as client:
        olga, ada = (sign_in(client, token) for token in tokens)
        (link,) = re.findall(r'href="(/organiser/similar/[^"]+)"', olga.get("/organiser/similar").text)
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
