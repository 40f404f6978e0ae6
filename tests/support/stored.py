"""Events that nobody played: archives with as many bots and matches as a test or a chart wants."""

import random
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from arena.identity import digest_of
from arena.results.archive import Archive
from arena.values import Board, Bot, Ending, Event, Fault, Match, Record, SeatReport, Turn, Verdict

HUNT = Board(
    game="mummy_maze",
    name="hunt",
    rules="m.py",
    digest="1",
    roles=("explorer",),
    sides=(("explorer",),),
)
DUEL = Board(
    game="mummy_maze",
    name="duel",
    rules="m.py",
    digest="2",
    roles=("explorer", "mummy"),
    sides=(("explorer",), ("mummy",)),
)
CLASSIC = Board(
    game="pacman",
    name="classic",
    rules="p.py",
    digest="3",
    roles=("pacman", "ghost1", "ghost2"),
    sides=(("pacman",), ("ghost1", "ghost2")),
)
BOARDS = (HUNT, DUEL, CLASSIC)
ENDINGS = tuple(Ending)


def bot(name: str) -> Bot:
    return Bot(name=name, command=("true",), digest=f"digest of {name}")


def event(
    *names: str, boards: Sequence[Board] = BOARDS, repeats: int = 1, name: str = "cup"
) -> Event:
    """Return an event of bots with these names."""
    return Event(
        name=name,
        seed=7,
        boards=tuple(boards),
        bots=tuple(map(bot, sorted(names))),
        repeats=repeats,
    )


def plan(of: Event) -> Iterable[Match]:
    """Yield a match of every bot against every other, in both roles; of each bot alone where there
    is one side.
    """
    for board in of.boards:
        for repeat in range(of.repeats):
            for bot_ in of.bots:
                for opponent in of.bots if len(board.sides) > 1 else of.bots[:1]:
                    if len(board.sides) == 1:
                        yield of.match(board, (bot_,), repeat)
                    elif bot_ != opponent:
                        yield of.match(board, (bot_, *[opponent] * (len(board.roles) - 1)), repeat)


def played(match: Match, *, turns: int = 20, **changes: int | Ending) -> Record:
    """Return a record of a match: each role's score or ending as given, or else a random score that
    its id fixes.
    """
    draw = random.Random(match.id)
    given = {seat.role: changes.get(seat.role) for seat in match.seats}
    faults = tuple(
        Fault(role=role, ending=Ending(value), turn=1, words="nothing came")
        for role, value in given.items()
        if isinstance(value, str)
    )
    scores = {
        role: value if isinstance(value, int) else draw.randrange(0, 101, 5)
        for role, value in given.items()
    }
    scores |= {fault.role: 0 for fault in faults}
    sides = next(board.sides for board in BOARDS if board.label == match.label)
    return Record(
        match=match,
        turns=tuple(
            Turn(
                number=number,
                role=seat.role,
                move="step north",
                wall=draw.expovariate(200),
                cpu=0.002,
            )
            for number in range(1, turns + 1)
            for seat in match.seats
        ),
        verdict=Verdict(scores=scores, reason="forfeit" if faults else "escaped", faults=faults),
        sides=sides,
        seats=tuple(
            SeatReport(role=seat.role, bot=seat.bot.name, digest=seat.bot.digest)
            for seat in match.seats
        ),
        started="2026-01-01T00:00:00+00:00",
        seconds=0.5,
    )


def likely(match: Match, skill: Sequence[str], turns: float = 42.0) -> Record:
    """Return a record of bots of unlike strength, about `turns` turns long.

    The first bot in `skill` is best, and the last two break a rule now and then.
    """
    draw = random.Random(match.id)
    best = {name: 1 - index / len(skill) for index, name in enumerate(skill)}
    changes: dict[str, int | Ending] = {}
    for seat in match.seats:
        rivals = [best[other.bot.name] for other in match.seats if other.bot != seat.bot] or [0.5]
        mean = 50 + 60 * (best[seat.bot.name] - sum(rivals) / len(rivals))
        changes[seat.role] = round(min(100, max(0, draw.gauss(mean, 12))))
        if seat.bot.name in skill[-2:] and draw.random() < 0.3:
            changes[seat.role] = draw.choice(ENDINGS)
    return played(match, turns=round(draw.gammavariate(6, turns / 6)) + 2, **changes)


def begin(archive: Archive, of: Event, ids: Iterable[str]) -> None:
    """Begin an event with a plan of these ids; of the matches that are stored, only these count
    from then on.
    """
    plan_ids = sorted(ids)
    archive.begin(of, digest_of(plan_ids), lambda: plan_ids)


def store(
    folder: Path, of: Event, records: Iterable[Record], planned: Iterable[Match] | None = None
) -> Path:
    """Make an archive of these records, all of the event's plan (None = as `plan` has it)."""
    with Archive.open(folder, writing=True) as archive:
        begin(archive, of, (match.id for match in (plan(of) if planned is None else planned)))
        rest = iter(records)
        while batch := list(
            islice(rest, 500)
        ):  # a transaction for each record takes longer than all else
            archive.append(*batch)
    return folder


def beaten_in_turn(name_of_winner, count=24):
    """Yield the records of ann, bob and cat on one board, by the winner of each two."""
    planned_event = event("ann", "bob", "cat", boards=(DUEL,), repeats=count)
    for planned in plan(planned_event):
        bots = [seat.bot.name for seat in planned.seats]
        scores = {
            seat.role: 100 * (seat.bot.name == name_of_winner(*bots)) for seat in planned.seats
        }
        yield played(
            planned, turns=10 + planned.repeat % 2, **scores
        )  # chance: none repeats another
