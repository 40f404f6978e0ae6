"""people.csv: the people who take part, so that submissions have authors.

A table with a line for each person: `name`, `e-mail` and `id`, of which only the name is needed. A submission is linked
to a person when its file is called after the person's id, e-mail or name, or as learning platforms call files:

    Moodle      NAME_NUMBER_assignsubmission_...
    Canvas      NAME_ID_NUMBER_...
    Blackboard  ASSIGNMENT_USER_attempt_...

So a file name may begin with any of the three, up to the first underscore. Behind it only an e-mail address counts, an
id with a digit, and the user before `_attempt_`: a file `anti_bob` is not Bob's.
"""

import csv
import io
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from arena.errors import ArenaError
from arena.event.discovery import names

FILE = "people.csv"
COLUMNS = {"name": "name", "e-mail": "email", "email": "email", "mail": "email", "id": "id"}
LARGEST_BYTES = 5_000_000


@dataclass(frozen=True, kw_only=True)
class Person:
    """A person who may submit bots."""

    name: str
    email: str = ""
    id: str = ""
    """The id in the file, else the e-mail, else the name: it tells two people apart."""


class People:
    """All people who may submit bots, in the order of the file."""

    def __init__(self, people: Collection[Person] = ()) -> None:
        self._people = tuple(people)
        self._known: dict[frozenset[str], set[Person]] = {}
        for person in self._people:
            for text in {person.id, person.email, person.email.partition("@")[0], person.name} - {""}:
                self._known.setdefault(names.words(text), set()).add(person)

    def __iter__(self) -> Iterator[Person]:
        return iter(self._people)

    def find(self, called: str) -> Person | None:
        """Return the person whom a submitted file of this name belongs to; None for nobody, or if two people fit."""
        first, *others = called.split("_")
        followed_by = [*others[1:], ""]
        marks = [
            part
            for part, following in zip(others, followed_by, strict=False)
            if "@" in part or any(map(str.isdigit, part)) or following == "attempt"
        ]
        return self.named(called) or self._only([first, *marks])

    def named(self, text: str) -> Person | None:
        """Return the person whose id, e-mail or name the whole text is; None for nobody, or if two people fit."""
        return self._only([text])

    def _only(self, texts: Collection[str]) -> Person | None:
        people = {person for text in texts for person in self._known.get(names.words(text), ())}
        return people.pop() if len(people) == 1 else None


def read(path: Path) -> People:
    """Return the people in a file; ArenaError, with its line, for a mistake in it."""
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise ArenaError(f"{path}: is larger than {LARGEST_BYTES // 1_000_000} MB; name a table of people")
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise ArenaError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ArenaError(f"{path}: this is not UTF-8 text (byte {error.start + 1}); save it as UTF-8") from error
    first = text.partition("\n")[0]
    separator = max(",;\t", key=first.count)  # spreadsheets of some countries write semicolons
    table = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        rows = [[cell.strip() for cell in row] for row in table]
    except csv.Error as error:
        raise ArenaError(f"{path}: line {table.line_num}: {error}") from error
    header = [COLUMNS.get(cell.lower()) for cell in rows[0]] if rows else []
    if "name" not in header:
        raise ArenaError(f"{path}: its first line names no column `name`; write for example: name,e-mail,id")
    people: dict[str, Person] = {}
    for number, row in enumerate(rows[1:], 2):
        cells = {column: cell for column, cell in zip(header, row, strict=False) if column is not None}
        if not any(cells.values()):
            continue
        name, email = names.display(cells.get("name", "")), cells.get("email", "")
        if not name or not (email + cells.get("id", "")).isprintable():
            raise ArenaError(f"{path}: line {number}: expected a name, and plain text; correct that line")
        person = Person(name=name, email=email, id=cells.get("id") or email or name)
        if people.setdefault(person.id, person) is not person:
            raise ArenaError(
                f"{path}: line {number}: {person.id!r} is there twice; give each person an id of their own"
            )
    return People(tuple(people.values()))
