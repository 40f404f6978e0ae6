"""The people who take part, so that submissions have authors: people.csv, or the roster of a learning platform.

A table with a line for each person: a name, or a first and a last name, and what else tells people
apart: an id, a login, an e-mail address. `COLUMNS` has the names of columns that are understood. A
submission belongs to a person when the name of its file says so (downloads.py), or when its file is
called after the person's id, e-mail or name.

A person is an id. The name is shown, and may change; two people may share it. Whoever stores
something about a person stores the id, and asks `People.recorded` for the person later, when the
table may be another one.
"""

import codecs
import csv
import io
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
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
    # The id is the first of these that has a text. Canvas' own `ID` comes behind the id that a
    # school gave.
    "id": (
        "sis user id",
        "id number",
        "student id",
        "id",
        "username",
        "sis login id",
        "login id",
        "identifier",
    ),
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

    @property
    def has_id(self) -> bool:
        """Whether the table gives an id, and no e-mail address or name stands in for it."""
        return self.id not in {self.email, self.name}


class People:
    """All people who may submit bots, in the order of the file."""

    def __init__(self, people: Collection[Person] = ()) -> None:
        self._people = tuple(people)
        self._by_id = {person.id: person for person in self._people}
        self._by_spelling: dict[str, set[Person]] = {}
        self._by_login: dict[str, set[Person]] = {}
        for person in self._people:
            self._by_spelling.setdefault(spelling(person.id), set()).add(person)
            for login in {person.email, *person.logins} - {""}:
                self._by_login.setdefault(login.casefold(), set()).add(person)
        self._known: tuple[dict[object, set[Person]], ...] = tuple({} for _ in range(4))
        """Who has this name, the most exact way to compare first: of Jürgen and Jurgen each has his own bot."""
        for person in self._people:
            texts = {
                person.id,
                person.email,
                person.email.partition("@")[0],
                person.name,
                *person.logins,
            } - {""}
            for text in texts:
                turns = text == person.name  # Canvas writes `leeann` for `Lee, Ann`
                for known, keys in zip(self._known, _keys(text, turns=turns), strict=True):
                    for key in keys:
                        known.setdefault(key, set()).add(person)

    def __iter__(self) -> Iterator[Person]:
        return iter(self._people)

    def with_id(self, id: str) -> Person | None:  # noqa: A002
        """Return the person who has exactly this id; None if nobody has it."""
        return self._by_id.get(id)

    def recorded(self, id: str, name: str = "", email: str = "") -> Person | None:  # noqa: A002
        """Return the person about whom something was stored, with the id, name and e-mail of that time, if any.

        The table may have changed since. A spreadsheet may have written 17 for 017, or 17.0, and a
        table without ids may have got some, or lost them. A person with another id is another
        person, whatever the name.
        """
        if not id or id in self._by_id:
            return self._by_id.get(id)
        person = _only(self._by_spelling.get(spelling(id), ())) or _only(
            self._by_login.get(id.casefold(), ())
        )
        if person is not None:
            return person
        namesake = _only(self._by_name(name)) if name else None
        if namesake is None or (
            email and namesake.email and email.casefold() != namesake.email.casefold()
        ):
            return None
        had_id = id not in {name, email}
        return None if had_id and namesake.has_id else namesake

    def _by_name(self, name: str) -> list[Person]:
        return [person for person in self._people if person.name.casefold() == name.casefold()]

    def named(self, text: str) -> Person | None:
        """Return the person whose id, e-mail or name the whole text is; None for nobody, or if two people fit."""
        return _only(self.fitting(text))

    def fitting(self, text: str) -> set[Person]:
        """Return everybody whose id, e-mail or name the whole text is; whoever has it as an id is meant alone."""
        return self._called(text)

    def author(self, label: Label) -> Person | None:
        """Return the author of a submitted file; None for nobody, or if two people fit."""
        return _only(self.candidates(label))

    def candidates(self, label: Label) -> set[Person]:
        """Return the people who fit every mark of a file that fits anybody; all of them if the marks contradict."""
        fitting = [next(filter(None, map(self._called, mark)), set()) for mark in label.marks]
        fitting = [people for people in fitting if people]
        return (set.intersection(*fitting) or set.union(*fitting)) if fitting else set()

    def _called(self, text: str) -> set[Person]:
        known = self._by_id.get(text.strip())
        if known is not None and known.has_id:
            return {known}
        ways = zip(self._known, _keys(text, turns=False), strict=True)
        found = (known.get(key, set()) for known, keys in ways for key in keys if key)
        # In Latin letters a name with a Cyrillic A is that of somebody else.
        unmasked = ({person for person in people if not _masks(text, person)} for people in found)
        people: set[Person] = next(filter(None, unmasked), set())
        if people or not text.strip().isascii():
            return people
        spelled = self._by_spelling.get(spelling(text), set())
        return {person for person in spelled if person.has_id}


def _masks(text: str, person: Person) -> bool:
    """Return whether a word looks like one of a person's name or ids, and is another."""
    words, own = _words(text), _words(person.name)
    own += [word for mark in (person.id, person.email, *person.logins) for word in _words(mark)]
    return any(
        names.look_alike(word, each)
        for word in (*words, "".join(words))
        for each in (*own, *_turned(own, turns=True))
    )


def spelling(id_: str) -> str:
    """Return an id without what spreadsheets and people change in it: case, blanks, zeros before it, `.0` behind it."""
    text = "".join(unicodedata.normalize("NFKC", id_).casefold().split())
    number = re.fullmatch(r"0*([0-9]+)(?:\.0*)?", text)
    return number[1] if number else text


def _only(people: Collection[Person]) -> Person | None:
    return next(iter(people)) if len(people) == 1 else None


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", names.display(text).casefold())


def _keys(text: str, *, turns: bool) -> tuple[set[object], ...]:
    """Return a text for comparing: as it is, its words in order, and both again in Latin letters."""
    exact = names.display(text).casefold()
    latin = re.findall("[a-z0-9]+", names.latin(exact).lower())
    return (
        {exact},
        {*_turned(_words(text), turns=turns)},
        {names.words(text)},
        {*_turned(latin, turns=turns)},
    )


def _turned(words: list[str], *, turns: bool) -> set[str]:
    """Return the words joined in this order; `turns`: also with the last ones before the first ones."""
    return {
        "".join(words[start:] + words[:start]) for start in range(len(words) if turns else 1)
    } - {""}


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
        raise ArenaError(
            f"{path}: its first line names no column `name`; write for example: name,e-mail,id"
        )
    people: dict[str, Person] = {}
    lines: dict[str, int] = {}
    """The line of each id."""
    for number, row in enumerate(rows[1:], 2):
        cells = dict(zip(header, row, strict=False))
        values = {
            kind: [cells[column] for column in columns if cells.get(column)]
            for kind, columns in COLUMNS.items()
        }
        if not any(values.values()) or any(name.lower() in NOBODY for name in values["name"]):
            continue
        name = names.display(_name(cells, values))
        # A spreadsheet that takes ids for numbers writes 17.0.
        ids = [re.sub(r"^([0-9]+)\.0+$", r"\1", mark) for mark in values["id"]]
        marks = [*ids, *values["email"]]
        if not name or not "".join(marks).isprintable():
            raise ArenaError(
                f"{path}: line {number}: expected a name, and plain text; correct that line"
            )
        addresses = [*values["email"], *(mark for mark in ids if "@" in mark)]
        email = "".join(addresses[:1])
        logins = tuple(mark for mark in marks[1:] if mark != email)
        person = Person(name=name, email=email, id=[*marks, name][0], logins=logins)
        if people.setdefault(person.id, person) != person or (not marks and person.id in lines):
            raise ArenaError(
                f"{path}: line {number}: {person.id!r} is there twice; give each person an id of "
                "their own"
            )
        lines.setdefault(person.id, number)
    _refuse_like_ids(path, people.values(), lines)
    return People(tuple(people.values()))


def _refuse_like_ids(path: Path, people: Iterable[Person], lines: Mapping[str, int]) -> None:
    """Raise ArenaError if two ids look the same, or are one id of one name that was written in two ways."""
    looks: dict[str, Person] = {}
    spellings: dict[tuple[str, str], Person] = {}
    for person in people:
        if not person.has_id:
            continue
        first = looks.setdefault(names.skeleton(person.id), person)
        if names.look_alike(person.id, first.id):
            raise ArenaError(
                f"{path}: line {lines[person.id]}: the id {person.id!r} ({person.id!a}) looks "
                f"like that of line {lines[first.id]}, {first.id!r} ({first.id!a}); give each "
                "person an id that nobody takes for another"
            )
        same = spellings.setdefault((spelling(person.id), person.name.casefold()), person)
        if same is not person:
            raise ArenaError(
                f"{path}: line {lines[person.id]}: {person.name!r} has the id {person.id!r}, and "
                f"in line {lines[same.id]} the id {same.id!r}; take one of the lines out, or give "
                "another id"
            )


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise ArenaError(
                f"{path}: is larger than {LARGEST_BYTES // 1_000_000} MB; name a table of people"
            )
        content = path.read_bytes()
    except OSError as error:
        raise ArenaError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        # Blackboard writes its tables in UTF-16.
        is_utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        return content.decode("utf-16" if is_utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise ArenaError(
            f"{path}: this is not UTF-8 text (byte {error.start + 1}); save it as UTF-8"
        ) from error


def _name(cells: dict[str, str], values: dict[str, list[str]]) -> str:
    if values["last"] or values["first"]:
        return " ".join(values["first"][:1] + values["last"][:1])
    name = "".join(values["name"][:1])
    if "student" in cells:  # Canvas: `Lee, Ann`
        last, _, first = name.partition(", ")
        return f"{first} {last}".strip()
    return name
