"""A duel: an event of two bots that ends as soon as a sequential test has decided.

The test is in results/sequential.py. A duel that was stopped goes on from its stored matches, and a
duel that was decided is decided again without a match.
"""

# A duel is a round robin of two bots with as many repeats as the limit of pairings allows, which is
# stopped as soon as the test has decided. It needs no schedule of its own: the plan is that of the
# event, and only `Duel.is_over` depends on results. Lanes finish matches in any order, so a round
# counts when all rounds before it are complete: otherwise quick matches would count first, and a
# bot that wins quickly would look better than it is. Matches of later rounds that are done by then
# stay stored and do not count; for another question they may count. For the same reason a match
# that arena gave up ends the run of the duel: if its round were left out, the match itself would
# decide whether it counts.

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from arena.errors import BotError, PublicError
from arena.event import plan, run_words, schedules
from arena.event.director import ATTEMPTS, RunPhase
from arena.games import openings, rulebook
from arena.results.archive import Archive
from arena.results.sequential import (
    Decision,
    SequentialTest,
    difference,
    elo_of_points,
    points_of_elo,
)
from arena.results.standings import first_faults
from arena.values import (
    Abort,
    Board,
    Bot,
    Conditions,
    Ending,
    Event,
    Fault,
    Openings,
    Played,
    Record,
)

if TYPE_CHECKING:
    from arena.event.config import Tournament
    from arena.event.tournament import Progress

OPENING_PLIES = 6
"""They lead to 60 to 800 different states on the shipped boards; 4 plies lead to 20 to 150."""
KEYS_OF_EVENTS = (
    "rounds",
    "references",
    "seed_order",
    "max_matches",
    "stop_after",
    "stop_when",
)
"""The keys of tournament.toml that mean nothing in a duel."""


@dataclass(frozen=True)
class Scale:
    """A unit for differences."""

    unit: str
    to_points: Callable[[float], float]
    of_points: Callable[[float], float]

    def text(self, points: float) -> str:
        """Return a difference in points as text in this unit, with its sign."""
        return f"{self.of_points(points) + 0.0:+.1f}"


POINTS = Scale("points", float, float)
ELO = Scale("Elo", points_of_elo, elo_of_points)


class Duel:
    """The test of a duel, and the matches of rounds that do not count yet."""

    def __init__(
        self,
        event: Event,
        names: tuple[str, str],
        test: SequentialTest,
        scale: Scale,
    ) -> None:
        self.event = event
        self.names = names
        self.test = test
        self.scale = scale
        self.round_matches = _matches_of(replace(event, repeats=1))
        self.faults: Counter[tuple[str, Ending]] = Counter()
        """The matches with a fault in rounds that count, by bot and ending of its first fault."""
        self._unhelped: list[float] = []
        """The differences of the rounds that count in which the opponent was never at fault."""
        self._waiting: dict[int, list[Played]] = {}
        """The matches of each round that does not count yet."""

    @property
    def pairings_a_round(self) -> int:
        """The number of pairings in one round.

        There is one on each board, and on each variant of a board that is sampled.
        """
        return sum(board.variants for board in self.event.boards)

    @property
    def rounds(self) -> int:
        """The number of rounds that count."""
        return len(self.test.differences)

    @property
    def pairings(self) -> int:
        """The number of pairings that count."""
        return self.rounds * self.pairings_a_round

    @property
    def is_over(self) -> bool:
        """True if the test has decided, or no more rounds may be played."""
        return self.test.decision is not None or self.rounds == self.event.repeats

    @property
    def won_by_faults_alone(self) -> bool:
        """True if the first bot is better only because of faults of its opponent.

        It was not ahead in the rounds in which its opponent was never at fault. Whole rounds are
        left out, because only they have every role of every board.
        """
        return self.test.decision is Decision.BETTER and sum(self._unhelped) <= 0

    def add(self, match: Played) -> None:
        """Count a match as soon as its round and all rounds before it are complete."""
        repeat = self.event.repeat_of(match)
        of_round = self._waiting.setdefault(repeat, [])
        of_round.append(match)
        while not self.is_over:
            matches = self._waiting.get(self.rounds, [])
            if len(matches) != self.round_matches:
                return
            del self._waiting[self.rounds]
            self._add_round(matches)

    def _add_round(self, matches: Sequence[Played]) -> None:
        """Count a round whose matches are complete."""
        at_fault: set[str] = set()
        for match in matches:
            for bot, role in first_faults(match).items():
                ending = match.endings[role]
                self.faults[bot, ending] += 1
                at_fault.add(bot)

        first, opponent = self.names
        round_difference = difference(matches, first, opponent)
        self.test.add(round_difference)
        if opponent not in at_fault:
            self._unhelped.append(round_difference)

    def add_stored(self, archive: Archive) -> None:
        """Count the matches that are stored already."""
        stored = plan.Plan(self.event, archive).stored()
        ids = [match.id for match in stored]
        for match in archive.played_of(ids):
            self.add(match)


class DuelAudience:
    """Takes note of what decides when a duel is over (part of `Audience`)."""

    def __init__(self, duel: Duel) -> None:
        self._duel = duel
        self.absentees: dict[str, Fault] = {}
        """The bots that never said `ready`."""
        self._is_blocked = False
        """True once a match was given up: no later round can count in this run."""

    @property
    def is_over(self) -> bool:
        """True if no more matches are to be played."""
        return self._duel.is_over or self._is_blocked or bool(self.absentees)

    def begins(self, planned: int, finished: int) -> None:
        """Part of `Audience`."""

    def absent(self, bot: str, fault: Fault) -> None:
        """Part of `Audience`."""
        self.absentees[bot] = fault

    def finished(self, record: Record) -> None:
        """Part of `Audience`."""
        self._duel.add(Played.of(record))

    def aborted(self, abort: Abort) -> None:
        """Part of `Audience`."""
        if abort.attempt >= ATTEMPTS:
            self._is_blocked = True


class AbsentError(BotError):
    """A bot of a duel never said `ready`."""

    def __init__(self, absentees: Mapping[str, Fault]) -> None:
        bot, fault = next(iter(absentees.items()))
        words = f"{run_words.absence(bot, fault, forfeits=False)}; `arena check` says more"
        super().__init__(words, bot=bot, public=run_words.absence_of(bot))
        self.absentees = absentees
        """All bots that never said it; the sentence is about the first."""


@dataclass(frozen=True)
class DuelRun:
    """How a run of a duel ended."""

    given_up: tuple[Abort, ...] = ()
    """The matches that arena failed to play."""
    phase: RunPhase = RunPhase.PLAYING
    """Why it began no more matches; PLAYING if nothing ended it."""
    absentees: Mapping[str, Fault] = field(default_factory=dict)

    def refuse_absentees(self) -> None:
        """Raise AbsentError if a bot never said `ready`.

        All its matches would be forfeited, which would prove nothing about its play.
        """
        if self.absentees:
            raise AbsentError(self.absentees)


def play(
    duel: Duel,
    folder: Path,
    heard: DuelAudience,
    stopped: Callable[[], bool],
    run: "Callable[[Callable[[], bool]], Progress]",
) -> DuelRun:
    """Play a duel until its test has decided, or until `stopped`.

    `run` plays the due matches of its event, and reports them to `heard`, until its argument
    returns True.
    """
    from arena.event.tournament import make_archive

    make_archive(duel.event, folder)
    with Archive.open(folder) as archive:
        duel.add_stored(archive)
    if duel.is_over:
        return DuelRun()
    outcome = run(lambda: stopped() or heard.is_over)
    return DuelRun(
        given_up=outcome.failed,
        phase=outcome.phase,
        absentees=heard.absentees,
    )


def prepared(
    tournament: "Tournament",
    bots: tuple[Bot, Bot],
    name: str,
    most: tuple[str, int],
    boards: Sequence[str],
    conditions: Conditions,
    sampled_boards: Path,
) -> tuple[Event, list[str]]:
    """Return the duel of two bots as an event, with notices that anybody may read.

    Boards and conditions are those of the file; its other keys do not count. `most` is the name and
    the value of the option for the number of pairings after which a duel is undecided. Boards on
    which the two bots cannot meet in every role are left out, and a notice says so. PublicError if
    no board is left, or if one of `boards`, which the user named, is such a board.

    Unless the file has [openings], they are sampled: otherwise bots that play the same each time
    would repeat one pairing for ever. Openings are drawn without repetition until a board has no
    more; if pairings repeat after that, the answer is about the mean over the openings of the
    board.
    """
    changes: dict[str, object] = {
        "schedule": "round_robin",
        "repeats": 1,
        "seating": "sides",
    }
    keys = type(tournament).model_fields
    for key in KEYS_OF_EVENTS:
        changes[key] = keys[key].default
    for table_name, table in tournament.added.items():
        changes[table_name] = table.in_duel()
    changed = tournament.model_copy(update=changes)
    event = changed.event(
        Path(),
        boards=boards,
        entrants=bots,
        sampled_boards=sampled_boards,
    )

    playable, notices = _playable(event, boards)
    option, most_pairings = most
    pairings = sum(board.variants for board in playable)
    if most_pairings < pairings:
        raise PublicError(
            f"{option} {most_pairings}: one round of all boards has {pairings} pairings; take at "
            f"least {pairings}, or choose one board"
        )
    event = replace(
        event,
        name=name,
        boards=tuple(playable),
        repeats=most_pairings // pairings,
        conditions=conditions,
    )
    if "openings" not in tournament.model_fields_set:
        try:
            for board in playable:
                openings.refuse_rare(rulebook.game_of(board), OPENING_PLIES)
            event = replace(event, openings=Openings(plies=OPENING_PLIES))
        except PublicError as error:
            notices.append(f"without openings: {board.label}: {error}")
    return event, notices


def _playable(event: Event, named: Sequence[str]) -> tuple[list[Board], list[str]]:
    """Return the boards on which the two bots can meet in every role, and a notice of the others.

    PublicError if there are no such boards, or if boards are left out that the user `named`.
    """
    playable = []
    refusals = []
    for board in event.boards:
        refusal = _refusal(event, board)
        if refusal:
            refusals.append(refusal)
        else:
            playable.append(board)
    if not refusals:
        return playable, []

    reasons = "; ".join(refusals)
    if named or not playable:
        raise PublicError(f"{reasons}: choose boards on which both play every role, --board NAME")
    return playable, [f"left out: {reasons}"]


def _refusal(event: Event, board: Board) -> str:
    """Return why the two bots cannot meet on a board in every role; empty if they can."""
    for bot in event.bots:
        for role in board.roles:
            if not bot.plays(board.game, board.name, role):
                return f"{board.label}: {bot.name} does not play {role}"
    on_board = replace(event, boards=(board,))
    if not _matches_of(on_board):
        return f"{board.label}: it has {len(board.sides)} sides, and a duel has two bots"
    return ""


def _matches_of(event: Event) -> int:
    """Return the number of matches of an event."""
    by_board = schedules.find(event.schedule).count(event)
    return sum(by_board.values())
