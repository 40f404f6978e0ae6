"""Results in a CSV file: a row for each seat (long), or a row for each match (wide)."""

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.errors import FileError
from arena.extras.imports import outside, source
from arena.extras.imports.outside import DRAW, LOSS, WIN, FilePosition, OutsideMatch, OutsideSeat
from arena.protocol import clean
from arena.values import Ending

DELIMITERS = (",", ";", "\t")
MOST_COLUMNS = 200
MATCH_COLUMNS = ("match", "game", "board", "date", "reason")
"""Columns of a match, in both layouts."""
SEAT_COLUMNS = ("bot", "score", "result", "side", "ending", "seconds")
"""Columns of a seat. In the wide layout the role stands before them, as in `white_bot`."""
OWN_COLUMNS = frozenset({"repeat", "seed"})
"""Columns of arena's own matches.csv that have no meaning here."""
RESULTS = {
    **dict.fromkeys(("1", "1.0", "win", "won", "w"), WIN),
    **dict.fromkeys(("0.5", ".5", "0,5", "1/2", "\u00bd", "draw", "drawn", "d"), DRAW),
    **dict.fromkeys(("0", "0.0", "loss", "lost", "l"), LOSS),
}
"""The scores of the words of a column `result`."""
NUMBER = re.compile(r"-?[0-9]{1,9}(?:[.,][0-9]{1,9})?")
LAYOUTS = (
    "a row for each seat has the columns match, bot, score (or result); "
    "a row for each match has for each role such as white the columns white_bot, white_score"
)


@dataclass(frozen=True)
class TableRow:
    """A row of the file: the texts of its columns, without blanks around them."""

    position: FilePosition
    cells: Mapping[str, str]

    def get(self, column: str) -> str:
        """Return the text of a column; empty where there is none."""
        return self.cells.get(column, "")


def read(
    path: Path,
    game: str,
    board: str,
    unread: list[str],
) -> Iterator[OutsideMatch]:
    """Yield the matches of a CSV file.

    `game` and `board` are those of matches whose rows name none. `unread` gets the columns that are
    not read.
    """
    rows = _rows(path)
    header = next(rows, None)
    if header is None:
        raise FileError(path, f"has no header: {LAYOUTS}")
    columns = list(header.cells)
    if "bot" in columns:
        known = {"role"}.union(MATCH_COLUMNS, SEAT_COLUMNS)
        _need(header, "match", columns)
        _need_score(header, "", columns)
        matches = _long(rows, game, board)
    else:
        roles: list[str] = []
        for column in columns:
            if column.endswith("_bot"):
                roles.append(column.removesuffix("_bot"))
        if not roles:
            raise header.position.mistake("", f"has no column bot: {LAYOUTS}")
        known = set(MATCH_COLUMNS).union(OWN_COLUMNS)
        for role in roles:
            outside.role_name(role, header.position, f"column {role}_bot")
            known.update(f"{role}_{column}" for column in SEAT_COLUMNS)
            _need_score(header, f"{role}_", columns)
        matches = _wide(rows, roles, game, board)
    unread += [column for column in columns if column not in known]
    return _with_plausible_scores(matches, path, columns)


def _rows(path: Path) -> Iterator[TableRow]:
    """Yield the header, whose cells are its columns, and then the rows that are not empty."""
    numbered = source.lines(path, may_be_latin=False)
    first = next(numbered, None)
    if first is None:
        return
    _, first_text = first
    delimiter = max(DELIMITERS, key=first_text.count)

    def texts() -> Iterator[str]:
        yield first_text
        for _, text in numbered:
            yield text

    reader = csv.reader(texts(), delimiter=delimiter, strict=True)
    columns: list[str] = []
    while True:
        position = FilePosition(path, reader.line_num + 1)
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise FilePosition(path, reader.line_num).mistake(
                "", f"is no row of a CSV file: {error}"
            ) from error
        stripped = [cell.strip() for cell in cells]
        if not columns:
            columns = _header(stripped, position)
            yield TableRow(position, dict.fromkeys(columns, ""))
        elif any(stripped):
            if len(stripped) != len(columns):
                raise position.mistake(
                    "", f"has {len(stripped)} cells, and the header has {len(columns)}"
                )
            texts_by_column = dict(zip(columns, stripped, strict=True))
            yield TableRow(position, texts_by_column)


def _header(cells: list[str], position: FilePosition) -> list[str]:
    """Return the names of the columns; ArenaError where they cannot be told apart."""
    if len(cells) > MOST_COLUMNS:
        raise position.mistake("", f"has {len(cells)} columns; at most {MOST_COLUMNS} are read")
    names: list[str] = []
    for number, cell in enumerate(cells, 1):
        name = cell.casefold() or f"column {number}"
        if name in names:
            raise position.mistake(f"column {number}", f"{clean(name)!r} is there twice")
        names.append(name)
    return names


def _need(header: TableRow, column: str, columns: list[str]) -> None:
    if column not in columns:
        raise header.position.mistake("", f"has no column {column}: {LAYOUTS}")


def _need_score(header: TableRow, prefix: str, columns: list[str]) -> None:
    has_score = f"{prefix}score" in columns
    has_result = f"{prefix}result" in columns
    if has_score != has_result:
        return
    message = "has no column"
    if has_score:
        message = "has both columns"
    raise header.position.mistake("", f"{message} {prefix}score or {prefix}result: {LAYOUTS}")


def _long(
    rows: Iterator[TableRow],
    game: str,
    board: str,
) -> Iterator[OutsideMatch]:
    """Yield the matches of rows of seats; those of a match stand together."""
    together: list[TableRow] = []
    for row in rows:
        if not row.get("match"):
            raise row.position.mistake(
                "column match", "is empty; it says which rows are of one match"
            )
        if together and together[0].get("match") != row.get("match"):
            yield _of_seats(together, game, board)
            together = []
        together.append(row)
        if len(together) > MOST_COLUMNS:
            raise row.position.mistake(
                "column match", f"this match has more than {MOST_COLUMNS} seats"
            )
    if together:
        yield _of_seats(together, game, board)


def _of_seats(rows: list[TableRow], game: str, board: str) -> OutsideMatch:
    seats: list[OutsideSeat] = []
    first_row = rows[0]
    for number, row in enumerate(rows, 1):
        for column in MATCH_COLUMNS:
            if row.get(column) != first_row.get(column):
                raise row.position.mistake(
                    f"column {column}", "is another one than in the first row of this match"
                )
        role = row.get("role") or f"player{number}"
        if any(seat.role == role for seat in seats):
            raise row.position.mistake(
                "column role", f"{clean(role)!r} is there twice in this match"
            )
        role = outside.role_name(role, row.position, "column role")
        seats.append(_seat(row, role, ""))
    return _match(first_row, tuple(seats), game, board)


def _wide(
    rows: Iterator[TableRow],
    roles: list[str],
    game: str,
    board: str,
) -> Iterator[OutsideMatch]:
    """Yield the matches of rows of matches; a role without a bot is none of this board's."""
    for row in rows:
        present = [role for role in roles if row.get(f"{role}_bot")]
        if not present:
            raise row.position.mistake(f"column {roles[0]}_bot", "is empty; a match needs bots")
        seats = [_seat(row, role, f"{role}_") for role in present]
        yield _match(row, tuple(seats), game, board)


def _match(
    row: TableRow,
    seats: tuple[OutsideSeat, ...],
    game: str,
    board: str,
) -> OutsideMatch:
    position = row.position
    game = outside.board_name(row.get("game") or game, position, "column game")
    board = outside.board_name(row.get("board") or board, position, "column board")
    reason = outside.short_text(row.get("reason"), position, "column reason")
    started = row.get("date")
    if started:
        started = outside.moment(started, position, "column date")
    name = outside.short_text(row.get("match"), position, "column match")
    return OutsideMatch(
        position=position,
        game=game,
        board=board,
        seats=seats,
        reason=reason,
        started=started,
        name=name,
    )


def _seat(row: TableRow, role: str, prefix: str) -> OutsideSeat:
    position = row.position
    ending_text = row.get(f"{prefix}ending")
    if ending_text and ending_text not in tuple(Ending):
        known = ", ".join(Ending)
        raise position.mistake(
            f"column {prefix}ending", f"{clean(ending_text)!r} is none of {known}; empty = no fault"
        )
    bot = outside.bot_name(row.get(f"{prefix}bot"), position, f"column {prefix}bot")
    score = _score(row, prefix)
    side = outside.short_text(row.get(f"{prefix}side"), position, f"column {prefix}side")
    ending = None
    if ending_text:
        ending = Ending(ending_text)
    return OutsideSeat(
        role=role,
        bot=bot,
        score=score,
        side=side,
        ending=ending,
        seconds=_seconds(row, f"{prefix}seconds"),
    )


def _score(row: TableRow, prefix: str) -> int:
    """Return the score of a seat, 0 to 100."""
    if f"{prefix}result" in row.cells:
        text = row.get(f"{prefix}result")
        score = RESULTS.get(text.casefold())
        if score is None:
            message = f"{clean(text)!r} is no result: 1, 0.5, 0, or win, draw, loss"
            raise row.position.mistake(f"column {prefix}result", message)
        return score
    text = row.get(f"{prefix}score")
    number = _number(text)
    if not 0 <= number <= 100 or number != int(number):
        message = f"{clean(text)!r} is no score: a whole number from 0 to 100"
        if 0 < number < 1:
            message += "; call the column result where a win is 1"
        raise row.position.mistake(f"column {prefix}score", message)
    return int(number)


def _seconds(row: TableRow, column: str) -> float:
    text = row.get(column)
    if not text:
        return 0.0
    number = _number(text)
    if not 0 <= number <= outside.MOST_SECONDS:
        raise row.position.mistake(f"column {column}", f"{clean(text)!r} is no time in seconds")
    return number


def _number(text: str) -> float:
    """Return the number in a text, with a comma or a point; -1 if it has none."""
    if not NUMBER.fullmatch(text):
        return -1.0
    return float(text.replace(",", "."))


def _with_plausible_scores(
    matches: Iterator[OutsideMatch],
    path: Path,
    columns: list[str],
) -> Iterator[OutsideMatch]:
    """Yield the matches; ArenaError at the end if the scores seem to be 1 for a win and not 100."""
    highest = 0
    for match in matches:
        highest = max(highest, *(seat.score for seat in match.seats))
        yield match
    score_columns = [column for column in columns if column.rpartition("_")[2] == "score"]
    if score_columns and highest == 1:
        first = score_columns[0]
        result = first.removesuffix("score") + "result"
        message = (
            f"column {first}: no score is above 1, and scores are 0 to 100; call the column "
            f"{result} if a win is 1"
        )
        raise FileError(path, message)
