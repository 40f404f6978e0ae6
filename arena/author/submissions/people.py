"""The people who take part, from people.csv or the roster of a learning platform.

The table has a line for each person: a name, or a first and a last name, and other texts that tell
people apart: an id, a login, an e-mail address. `COLUMNS` has the names of the columns that arena
understands. A submission belongs to a person when the name of its file says so (downloads.py), or
when its file is called after the person's id, e-mail or name.

A person is an id. The name is shown, and may change; two people may share it. Whoever stores
something about a person stores the id, and asks `People.recorded` for the person later, when the
table may be another one.
"""

import codecs
import csv
import io
import itertools
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from arena import look_alikes
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
"""Names in the rows of Canvas' gradebook that belong to no person."""
LARGEST_BYTES = 5_000_000
_Key = str | frozenset[str]
"""A text, or its words in any order."""
WAYS_TO_COMPARE = 4
"""The number of sets that `_keys` returns."""


@dataclass(frozen=True, kw_only=True)
class Person:
    """A person who may submit bots."""

    name: str
    email: str = ""
    id: str = ""
    """The id in the file; otherwise the e-mail, or the name. It tells two people apart."""
    logins: tuple[str, ...] = ()
    """Other texts that name this person and nobody else."""

    @property
    def has_id(self) -> bool:
        """Whether the table gives an id, and no e-mail address or name stands in for it."""
        return self.id not in {self.email, self.name}

    @property
    def marks(self) -> tuple[str, ...]:
        """The texts that stand for this person and nobody else; some may be empty."""
        marks = [self.id, self.email]
        marks.extend(self.logins)
        return tuple(marks)


class People:
    """All people who may submit bots, in the order of the file."""

    def __init__(self, people: Collection[Person] = ()) -> None:
        self._people = tuple(people)
        self._by_id = {person.id: person for person in self._people}
        self._by_spelling: dict[str, set[Person]] = defaultdict(set)
        self._by_login: dict[str, set[Person]] = defaultdict(set)
        self._by_key: list[dict[_Key, set[Person]]] = []
        """The people with this name, for each way to compare, the most exact way first: Jürgen and
        Jurgen have a bot each."""
        for _ in range(WAYS_TO_COMPARE):
            self._by_key.append(defaultdict(set))

        for person in self._people:
            self._add(person)

    def _add(self, person: Person) -> None:
        """Let each text of a person lead to this person."""
        id_spelling = spelling(person.id)
        self._by_spelling[id_spelling].add(person)

        for login in person.marks[1:]:
            if login:
                folded = login.casefold()
                self._by_login[folded].add(person)

        user = person.email.partition("@")[0]
        texts = [user, person.name]
        texts.extend(person.marks)
        for text in texts:
            if not text:
                continue
            turns = text == person.name  # Canvas writes `leeann` for `Lee, Ann`
            keys_of_ways = _keys(text, turns=turns)
            for people_of, keys in zip(self._by_key, keys_of_ways, strict=True):
                for key in keys:
                    people_of[key].add(person)

    def __iter__(self) -> Iterator[Person]:
        return iter(self._people)

    def with_id(self, id: str) -> Person | None:  # noqa: A002
        """Return the person who has exactly this id; None if nobody has it."""
        return self._by_id.get(id)

    def recorded(
        self,
        id: str,  # noqa: A002
        name: str = "",
        email: str = "",
    ) -> Person | None:
        """Return the person whose id, name and e-mail of an earlier time were stored, if any.

        The table may have changed since. A spreadsheet may have written 17 for 017, or 17.0, and a
        table without ids may have got some, or lost them. A person with another id is another
        person, whatever the name.
        """
        if not id or id in self._by_id:
            return self._by_id.get(id)
        spelled = self._by_spelling.get(spelling(id), ())
        person = _only(spelled)
        if person is None:
            with_login = self._by_login.get(id.casefold(), ())
            person = _only(with_login)
        if person is not None:
            return person

        namesake = self._namesake(name)
        if namesake is None:
            return None
        both_have_email = bool(email and namesake.email)
        if both_have_email and email.casefold() != namesake.email.casefold():
            return None
        had_id = id not in {name, email}
        if had_id and namesake.has_id:
            return None
        return namesake

    def _namesake(self, name: str) -> Person | None:
        """Return the only person of this name; case makes no difference."""
        if not name:
            return None
        folded = name.casefold()
        namesakes = [person for person in self._people if person.name.casefold() == folded]
        return _only(namesakes)

    def named(self, text: str) -> Person | None:
        """Return the person whose id, e-mail or name the text is; None unless only one fits."""
        return _only(self.fitting(text))

    def fitting(self, text: str) -> set[Person]:
        """Return the people whose id, e-mail or name the whole text is.

        A person who has it as an id stands alone.
        """
        person = self._by_id.get(text.strip())
        if person is not None and person.has_id:
            return {person}

        keys_of_ways = _keys(text, turns=False)
        for people_of, keys in zip(self._by_key, keys_of_ways, strict=True):
            for key in keys:
                if not key:
                    continue
                people = people_of.get(key, set())
                # In Latin letters a name with a Cyrillic A is that of somebody else.
                unmasked = {person for person in people if not _masks(text, person)}
                if unmasked:
                    return unmasked

        if not text.strip().isascii():
            return set()
        spelled = self._by_spelling.get(spelling(text), set())
        return {person for person in spelled if person.has_id}

    def resembled(self, text: str) -> bool:
        """Return whether a text is somebody's id, e-mail or name, or a word looks like one."""
        if self.fitting(text):
            return True
        return any(_masks(text, person) for person in self._people)

    def author(self, label: Label) -> Person | None:
        """Return the author of a submitted file; None for nobody, or if two people fit."""
        return _only(self.candidates(label))

    def candidates(self, label: Label) -> set[Person]:
        """Return the people who fit every mark of a file; all who fit any if the marks contradict.

        A mark that fits nobody does not count.
        """
        fitting: list[set[Person]] = []
        for mark in label.marks:
            for reading in mark:
                people = self.fitting(reading)
                if people:
                    fitting.append(people)
                    break
        if not fitting:
            return set()
        return set.intersection(*fitting) or set.union(*fitting)


def _masks(text: str, person: Person) -> bool:
    """Return whether a word looks like a word of a person's name or ids, and is another."""
    words = _words(text)
    words.append("".join(words))
    real_words = _words(person.name)
    for mark in person.marks:
        real_words += _words(mark)
    real_words += _turned(real_words, turns=True)
    pairs = itertools.product(words, real_words)
    return any(look_alikes.look_alike(word, real_word) for word, real_word in pairs)


def spelling(id_: str) -> str:
    """Return an id without what spreadsheets and people change in it.

    These are case, blanks, zeros before it, and `.0` behind it.
    """
    folded = unicodedata.normalize("NFKC", id_).casefold()
    text = "".join(folded.split())
    number = re.fullmatch(r"0*([0-9]+)(?:\.0*)?", text)
    if number is None:
        return text
    return number[1]


def _only(people: Collection[Person]) -> Person | None:
    if len(people) != 1:
        return None
    return next(iter(people))


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", names.display(text).casefold())


def _keys(text: str, *, turns: bool) -> tuple[set[_Key], ...]:
    """Return the keys of a text for each way to compare, the most exact way first.

    They are the whole text, its words in order, in any order, and in Latin letters.
    """
    exact = names.display(text).casefold()
    in_order = _turned(_words(text), turns=turns)
    in_any_order = names.words(text)
    latin = names.latin(exact).lower()
    latin_words = re.findall("[a-z0-9]+", latin)
    in_latin = _turned(latin_words, turns=turns)
    return {exact}, set(in_order), {in_any_order}, set(in_latin)


def _turned(words: list[str], *, turns: bool) -> list[str]:
    """Return the words joined in this order; `turns` adds each order with the last words first."""
    orders = 1
    if turns:
        orders = len(words)
    turned = []
    for start in range(orders):
        text = "".join(words[start:] + words[:start])
        if text:
            turned.append(text)
    return turned


def of_workspace(workspace: Path, file: Path | None = None) -> People:
    """Return the people in the file, by default in people.csv of the workspace, if it has one."""
    if file is not None:
        return read(file)
    table = workspace / FILE
    if not table.is_file():
        return People()
    return read(table)


def read(path: Path) -> People:
    """Return the people in a file; ArenaError, with its line, for a mistake in it."""
    rows = _rows(path)
    header: list[str] = []
    if rows:
        _, headings = rows[0]
        header = [heading.lower() for heading in headings]
    if set(header).isdisjoint(COLUMNS["name"] + COLUMNS["last"]):
        raise ArenaError(
            f"{path}: its first line names no column `name`; write for example: name,e-mail,id"
        )

    people: dict[str, Person] = {}
    lines: dict[str, int] = {}
    """The line of each id."""
    for number, row in rows[1:]:
        cells = dict(zip(header, row, strict=False))
        values = _values(cells)
        is_nobodys = any(name.lower() in NOBODY for name in values["name"])
        if is_nobodys or not any(values.values()):
            continue
        try:
            person = _person(cells, values)
        except ArenaError as error:
            raise ArenaError(f"{path}: line {number}: {error}") from error
        first_with_id = people.setdefault(person.id, person)
        is_another = first_with_id != person
        # Two rows with the same name and no mark may be two people.
        has_marks = bool(values["id"] or values["email"])
        if is_another or (not has_marks and person.id in lines):
            raise ArenaError(
                f"{path}: line {number}: {person.id!r} is there twice; give each person an id of "
                "their own"
            )
        lines.setdefault(person.id, number)

    _refuse_like_ids(path, people.values(), lines)
    return People(tuple(people.values()))


def _rows(path: Path) -> list[tuple[int, list[str]]]:
    """Return the line of each row of a table, and its cells without blanks around them."""
    text = _text(path)
    first_line = text.partition("\n")[0]
    # Spreadsheets of some countries write semicolons.
    separator = max(",;\t", key=first_line.count)
    lines = io.StringIO(text, newline="")
    table = csv.reader(lines, delimiter=separator)
    rows: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for row in table:
            cells = [cell.strip() for cell in row]
            rows.append((line, cells))
            line = table.line_num + 1  # a cell in quotation marks may have several lines
    except csv.Error as error:
        raise ArenaError(f"{path}: line {table.line_num}: {error}") from error
    return rows


def _values(cells: dict[str, str]) -> dict[str, list[str]]:
    """Return the texts of a row for each kind of column."""
    values: dict[str, list[str]] = {}
    for kind, columns in COLUMNS.items():
        values[kind] = [cells[column] for column in columns if cells.get(column)]
    return values


def _person(cells: dict[str, str], values: dict[str, list[str]]) -> Person:
    """Return the person in a row; ArenaError for a row without a name."""
    name = names.display(_name(cells, values))
    addresses = list(values["email"])
    marks: list[str] = []
    for mark in values["id"]:
        # A spreadsheet that takes ids for numbers writes 17.0.
        mark_id = re.sub(r"^([0-9]+)\.0+$", r"\1", mark)
        marks.append(mark_id)
        if "@" in mark_id:
            addresses.append(mark_id)
    marks += values["email"]
    if not name or not "".join(marks).isprintable():
        raise ArenaError("expected a name, and plain text; correct that line")
    email = ""
    if addresses:
        email = addresses[0]
    id_ = name
    logins = []
    if marks:
        id_ = marks[0]
        logins = [mark for mark in marks[1:] if mark != email]
    return Person(
        name=name,
        email=email,
        id=id_,
        logins=tuple(logins),
    )


def _refuse_like_ids(
    path: Path,
    people: Iterable[Person],
    lines: Mapping[str, int],
) -> None:
    """Raise ArenaError if two ids look alike, or one name has one id in two spellings."""
    looks: dict[str, Person] = {}
    spellings: dict[tuple[str, str], Person] = {}
    for person in people:
        if not person.has_id:
            continue
        skeleton = look_alikes.skeleton(person.id)
        first = looks.setdefault(skeleton, person)
        if look_alikes.look_alike(person.id, first.id):
            raise ArenaError(
                f"{path}: line {lines[person.id]}: the id {person.id!r} ({person.id!a}) looks "
                f"like that of line {lines[first.id]}, {first.id!r} ({first.id!a}); give each "
                "person an id that nobody takes for another"
            )
        key = (spelling(person.id), person.name.casefold())
        same = spellings.setdefault(key, person)
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
        if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return content.decode("utf-16")
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ArenaError(
            f"{path}: this is not UTF-8 text (byte {error.start + 1}); save it as UTF-8"
        ) from error


def _name(cells: dict[str, str], values: dict[str, list[str]]) -> str:
    if values["last"] or values["first"]:
        first_and_last = values["first"][:1] + values["last"][:1]
        return " ".join(first_and_last)
    if not values["name"]:
        return ""
    name = values["name"][0]
    if "student" not in cells:
        return name
    # Canvas writes `Lee, Ann`.
    last, _, first = name.partition(", ")
    return f"{first} {last}".strip()
