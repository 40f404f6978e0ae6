"""The people who take part, so that submissions have authors: people.csv, or the roster of a learning platform.

A table with a line for each person: a name, or a first and a last name, and what else tells people apart: an id, a
login, an e-mail address. `COLUMNS` has the names of columns that are understood. A submission belongs to a person when
the name of its file says so (downloads.py), or when its file is called after the person's id, e-mail or name.
"""

import codecs
import csv
import io
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from arena.author.submissions.downloads import Label
from arena.errors import ArenaError
from arena.event.discovery import names

FILE = "people.csv"
COLUMNS = {
    "name": ("name", "student", "full name"),
    "first": ("first name", "firstname", "given name"),
    "last": ("surname", "last name", "lastname", "family name"),
    "email": ("e-mail", "email", "mail", "email address", "e-mail address"),
    # The id is the first of these that has a text. Canvas' own `ID` comes behind the id that a school gave.
    "id": ("sis user id", "id number", "student id", "id", "username", "sis login id", "login id", "identifier"),
}
"""The columns of people.csv, and of the rosters of Canvas, Moodle and Blackboard, in lower case."""
NOBODY = {"points possible", "student, test", "test student"}
"""What stands in place of a name in rows of Canvas' gradebook that are nobody's."""
LARGEST_BYTES = 5_000_000


@dataclass(frozen=True, kw_only=True)
class Person:
    """A person who may submit bots."""

    name: str
    email: str = ""
    id: str = ""
    """The id in the file, else the e-mail, else the name: it tells two people apart."""
    logins: tuple[str, ...] = ()
    """Other texts that name this person and nobody else."""


class People:
    """All people who may submit bots, in the order of the file."""

    def __init__(self, people: Collection[Person] = ()) -> None:
        self._people = tuple(people)
        self._known: tuple[dict[object, set[Person]], ...] = tuple({} for _ in range(4))
        """Who has this name, the most exact way to compare first: of Jürgen and Jurgen each has his own bot."""
        for person in self._people:
            texts = {person.id, person.email, person.email.partition("@")[0], person.name, *person.logins} - {""}
            for text in texts:
                turns = text == person.name  # Canvas writes `leeann` for `Lee, Ann`
                for known, keys in zip(self._known, _keys(text, turns=turns), strict=True):
                    for key in keys:
                        known.setdefault(key, set()).add(person)

    def __iter__(self) -> Iterator[Person]:
        return iter(self._people)

    def named(self, text: str) -> Person | None:
        """Return the person whose id, e-mail or name the whole text is; None for nobody, or if two people fit."""
        return _only(self._called(text))

    def author(self, label: Label) -> Person | None:
        """Return the author of a submitted file; None for nobody, or if two people fit."""
        return _only(self.candidates(label))

    def candidates(self, label: Label) -> set[Person]:
        """Return the people who fit every mark of a file that fits anybody; all of them if the marks contradict."""
        fitting = [next(filter(None, map(self._called, mark)), set()) for mark in label.marks]
        fitting = [people for people in fitting if people]
        return (set.intersection(*fitting) or set.union(*fitting)) if fitting else set()

    def _called(self, text: str) -> set[Person]:
        ways = zip(self._known, _keys(text, turns=False), strict=True)
        found = (known.get(key, set()) for known, keys in ways for key in keys if key)
        # In Latin letters a name with a Cyrillic A is that of somebody else.
        unmasked = ({person for person in people if not _masks(text, person)} for people in found)
        return next(filter(None, unmasked), set())


def _masks(text: str, person: Person) -> bool:
    """Return whether a word looks like one of a person's name, and is another."""
    words, own = _words(text), _words(person.name)
    return any(
        names.look_alike(word, each) for word in (*words, "".join(words)) for each in (*own, *_turned(own, turns=True))
    )


def _only(people: Collection[Person]) -> Person | None:
    return next(iter(people)) if len(people) == 1 else None


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", names.display(text).casefold())


def _keys(text: str, *, turns: bool) -> tuple[set[object], ...]:
    """Return a text for comparing: as it is, its words in order, and both again in Latin letters."""
    exact = names.display(text).casefold()
    latin = re.findall("[a-z0-9]+", names.latin(exact).lower())
    return {exact}, {*_turned(_words(text), turns=turns)}, {names.words(text)}, {*_turned(latin, turns=turns)}


def _turned(words: list[str], *, turns: bool) -> set[str]:
    """Return the words joined in this order; `turns`: also with the last ones before the first ones."""
    return {"".join(words[start:] + words[:start]) for start in range(len(words) if turns else 1)} - {""}


def of_workspace(workspace: Path, file: Path | None = None) -> People:
    """Return the people in the file, else in people.csv of the workspace; nobody if there is none."""
    table = file or workspace / FILE
    return read(table) if file is not None or table.is_file() else People()


def read(path: Path) -> People:
    """Return the people in a file; ArenaError, with its line, for a mistake in it."""
    text = _text(path)
    first = text.partition("\n")[0]
    separator = max(",;\t", key=first.count)  # spreadsheets of some countries write semicolons
    table = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        rows = [[cell.strip() for cell in row] for row in table]
    except csv.Error as error:
        raise ArenaError(f"{path}: line {table.line_num}: {error}") from error
    header = [cell.lower() for cell in rows[0]] if rows else []
    if not set(header) & {*COLUMNS["name"], *COLUMNS["last"]}:
        raise ArenaError(f"{path}: its first line names no column `name`; write for example: name,e-mail,id")
    people: dict[str, Person] = {}
    for number, row in enumerate(rows[1:], 2):
        cells = dict(zip(header, row, strict=False))
        values = {kind: [cells[column] for column in columns if cells.get(column)] for kind, columns in COLUMNS.items()}
        if not any(values.values()) or any(name.lower() in NOBODY for name in values["name"]):
            continue
        name = names.display(_name(cells, values))
        marks = [*values["id"], *values["email"]]
        if not name or not "".join(marks).isprintable():
            raise ArenaError(f"{path}: line {number}: expected a name, and plain text; correct that line")
        addresses = [*values["email"], *(mark for mark in values["id"] if "@" in mark)]
        email = "".join(addresses[:1])
        logins = tuple(mark for mark in marks[1:] if mark != email)
        person = Person(name=name, email=email, id=[*marks, name][0], logins=logins)
        if people.setdefault(person.id, person) != person:
            raise ArenaError(
                f"{path}: line {number}: {person.id!r} is there twice; give each person an id of their own"
            )
    return People(tuple(people.values()))


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise ArenaError(f"{path}: is larger than {LARGEST_BYTES // 1_000_000} MB; name a table of people")
        content = path.read_bytes()
    except OSError as error:
        raise ArenaError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        # Blackboard writes its tables in UTF-16.
        is_utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        return content.decode("utf-16" if is_utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise ArenaError(f"{path}: this is not UTF-8 text (byte {error.start + 1}); save it as UTF-8") from error


def _name(cells: dict[str, str], values: dict[str, list[str]]) -> str:
    if values["last"] or values["first"]:
        return " ".join(values["first"][:1] + values["last"][:1])
    name = "".join(values["name"][:1])
    if "student" in cells:  # Canvas: `Lee, Ann`
        last, _, first = name.partition(", ")
        return f"{first} {last}".strip()
    return name
