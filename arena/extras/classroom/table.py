"""The table [grade] of tournament.toml: the thresholds, and the boards where they count."""

from collections.abc import Collection, Sequence
from typing import Annotated, cast

from pydantic import AfterValidator, BeforeValidator, Field

from arena.errors import ArenaError, known_are
from arena.event.config import Tournament
from arena.event.config.keys import Word
from arena.event.tables import Amount, ExtensionTable, Table, as_tuple
from arena.extras.classroom.grades import Threshold
from arena.values import Board, Bot

MOST_MARKS = 10_000


class ThresholdTable(Table):
    """[[grade.threshold]]: marks for enough points against a reference bot."""

    reference: Word = Field(max_length=40, description="The name of the bot to play against.")
    board: str | None = Field(
        None, description="`game/board`, a board's name, or a game; without the key: all boards."
    )
    points: Amount = Field(
        le=100, description="Points of 100, the mean against the reference, that are enough."
    )
    marks: Amount = Field(
        gt=0, le=MOST_MARKS, description="Marks for a bot with these points; with fewer: none."
    )


def _some(thresholds: tuple[ThresholdTable, ...]) -> tuple[ThresholdTable, ...]:
    """Refuse an empty list of thresholds."""
    if not thresholds:  # `min_length` would also complain of a list whose only table has a mistake
        raise ValueError("at least one")
    return thresholds


class GradeTable(ExtensionTable):
    """[grade]: the marks that `arena grade` gives."""

    threshold: Annotated[
        tuple[ThresholdTable, ...], BeforeValidator(as_tuple), AfterValidator(_some)
    ] = Field(description="The marks of all thresholds are added up.")

    def thresholds(self, boards: Sequence[Board], bots: Collection[Bot]) -> tuple[Threshold, ...]:
        """Return the thresholds with the labels of their boards.

        ArenaError for a name that is not known.
        """
        thresholds: list[Threshold] = []
        in_order = sorted(bots, key=lambda bot: bot.name)
        by_name = {bot.name: bot for bot in in_order}
        for number, row in enumerate(self.threshold, 1):
            key = f"[[grade.threshold]] {number}"
            reference = by_name.get(row.reference)
            if reference is None:
                raise ArenaError(
                    f"{key}: reference: there is no bot {row.reference!r} in this event; "
                    f"{known_are(row.reference, by_name)}"
                )
            threshold = Threshold(
                reference=row.reference,
                board=row.board or "",
                labels=_boards_against(key, row, reference, boards),
                points=row.points,
                marks=row.marks,
            )
            thresholds.append(threshold)
        return tuple(thresholds)

    def check(self, boards: Sequence[Board], bots: Collection[Bot]) -> None:
        """Raise ArenaError for a threshold that names nobody, or no board that its bots play."""
        self.thresholds(boards, bots)

    def in_duel(self) -> None:
        """Return None: two bots in a duel need no reference."""


def table_of(tournament: Tournament) -> GradeTable | None:
    """Return the table [grade] of a tournament.toml; None in an event without marks."""
    return cast(GradeTable | None, tournament.table("grade"))


def _boards_against(
    key: str,
    row: ThresholdTable,
    reference: Bot,
    boards: Sequence[Board],
) -> tuple[str, ...]:
    """Return the labels of the boards of a threshold on which bots play against its reference.

    ArenaError if there are none; `key` names the table of the threshold.
    """
    named = []
    for board in boards:
        if row.board in {None, board.label, board.name, board.game}:
            named.append(board)
    if not named:
        labels = [board.label for board in boards]
        board_names = [board.name for board in boards]
        known = known_are(str(row.board), labels, nearest=board_names)
        raise ArenaError(f"{key}: board: there is no board {row.board!r} in this event; {known}")
    shared = [board for board in named if len(board.sides) > 1]
    if not shared:
        alone = ", ".join(board.label for board in named)
        raise ArenaError(
            f"{key}: board: nobody plays against {row.reference!r} on {alone}: "
            "name a board with two sides or more"
        )
    labels = [board.label for board in shared]
    if not any(_plays(reference, board) for board in shared):
        raise ArenaError(
            f"{key}: board: {row.reference!r} does not play on {', '.join(labels)}; "
            "name a board that it plays"
        )
    return tuple(labels)


def _plays(bot: Bot, board: Board) -> bool:
    """Return whether a bot plays any role of a board."""
    return any(bot.plays(board.game, board.name, role) for role in board.roles)
