"""Events for the tests of the report: real games of random legal moves, and bots that say what they
should not.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.game import Move, Role
from arena.games import rulebook
from arena.identity import digest_of
from arena.match.referee import Referee, facts_digest
from arena.protocol import Reply
from arena.values import (
    Board,
    Bot,
    Ending,
    Event,
    Fault,
    Match,
    ModelAnswer,
    ModelCall,
    Record,
    SeatReport,
    Turn,
    Verdict,
)
from tests.support import stored

BOTS = ("amber", "birch", "cedar")
EVIL = (
    "</script><script>document.title='hit'</script>",
    "<img src=http://localhost:9/x onerror=document.title='hit'>",
    "<!--<script>",
    "javascript:alert(1)",
    "{{ 7 * 7 }}",
    "a & b &lt; \" ' ` =",
    "\u202egnp.\x1b[31mred\x00\u2028",
    "]]>" + "x" * 3000,
)
TALK = '''
from dataclasses import dataclass
from arena.game import Game, Outcome

@dataclass(frozen=True)
class Talk(Game[tuple]):
    """Two who talk, on no grid, in words that mean harm."""

    length: int = 4
    roles = ("speaker", "listener")
    sides = (("speaker",), ("listener",))

    def board(self):
        return (f"words {HARM}", "size none at all", "wall <b> 1 north")

    def start(self):
        return ()

    def to_move(self, state):
        return () if len(state) >= self.length else (self.roles[len(state) % 2],)

    def legal_moves(self, state, role):
        return ("say yes", f"say {HARM}")

    def play(self, state, moves):
        return (*state, *moves.values())

    def outcome(self, state):
        return Outcome({"speaker": 70, "listener": 30}, f"{HARM}") if len(state) >= self.length else None

    def view(self, state, role):
        return (f"said {len(state)}", *(f"heard {move}" for move in state), f"at <i> {HARM}")

game = Talk
'''


def talk(folder: Path) -> Board:
    """A game without a grid, whose every fact, move and reason is hostile."""
    path = folder / "talk.py"
    path.write_text(f"HARM = {EVIL[0]!r}\n{TALK}")
    path.with_suffix(".toml").write_text("[hall]\nlength = 4\n")
    return rulebook.find("talk.py", folder)[0]


def boards(*names: str) -> tuple[Board, ...]:
    return tuple(rulebook.find(name)[0] for name in names)


def event(bots: Iterable[str] = BOTS, on: Iterable[Board] = (), repeats: int = 1) -> Event:
    # A name with a slash is refused when it is read, so such a text is only what is shown.
    names = {name.replace("/", "_"): name for name in sorted(bots)}
    entered = tuple(
        Bot(
            name=name,
            display=text if text != name else "",
            command=("true",),
            digest=digest_of(text),
        )
        for name, text in names.items()
    )
    return Event(
        name="cup",
        seed=7,
        boards=tuple(on) or boards("duel", "classic"),
        bots=entered,
        repeats=repeats,
    )


def plan(of: Event) -> list[Match]:
    """Every bot against every other in both parts."""
    pairs = [(one, other) for one in of.bots for other in of.bots if one != other]
    return [
        of.match(board, (one, *[other] * (len(board.roles) - 1)), repeat)
        for repeat in range(of.repeats)
        for board in of.boards
        for one, other in pairs
    ]


def played(match: Match, says: str = "depth=3") -> Record:
    """A match of random legal moves to its end by the rules; every third move has a remark."""
    game, draw = rulebook.game_of(match), random.Random(match.id)
    state, turns, number = game.start(), [], 0
    while (outcome := game.outcome(state)) is None:
        number += 1
        moves = {role: draw.choice(game.legal_moves(state, role)) for role in game.to_move(state)}
        state = game.play(state, moves)
        digest = facts_digest(game.view(state, None))
        for role, move in moves.items():
            remarks = (says,) if number % 3 == 1 else ()
            turns.append(
                Turn(
                    number=number,
                    role=role,
                    move=move,
                    wall=0.002,
                    cpu=0.001,
                    digest=digest,
                    remarks=remarks,
                )
            )
    return Record(
        match=match,
        turns=tuple(turns),
        verdict=Verdict(scores=dict(outcome.scores), reason=outcome.reason),
        sides=tuple(game.sides),
        seats=reports(match),
        started="2026-01-01T00:00:00+00:00",
        seconds=0.5,
    )


def reports(match: Match) -> tuple[SeatReport, ...]:
    return tuple(
        SeatReport(
            role=seat.role,
            bot=seat.bot.name,
            digest=seat.bot.digest,
            ready=0.05,
            exit="exit 0",
            cpu=0.2,
        )
        for seat in match.seats
    )


def refereed(
    match: Match, choose: Callable[[Role, Any, Sequence[Move], random.Random], Move]
) -> Record:
    """A match by the referee, of bots that play by a function from role, state, legal moves and
    dice to a move.
    """
    names = {seat.role: seat.bot.name for seat in match.seats}
    # Not by the id, which changes with every edit of the rules.
    draw = random.Random(f"{match.label} {match.repeat} {names}")
    referee = Referee(rulebook.game_of(match), match)
    while asks := referee.asks():
        answers = {
            role: "ready" if ask.ready else choose(role, referee.state, ask.legal, draw)
            for role, ask in asks.items()
        }
        referee.hear({role: Reply(line=answer.encode()) for role, answer in answers.items()})
    return referee.record(reports(match), "2026-01-01T00:00:00+00:00", 0.5)


def crashed(
    record: Record, words: str = "the program ended", stderr: str = "Traceback\nValueError: no\n"
) -> Record:
    """The same match, but in its last turn the first seat crashed."""
    role = record.match.seats[0].role
    fault = Fault(role=role, ending=Ending.CRASHED, turn=record.turns[-1].number, words=words)
    scores = {seat.role: 0 if seat.role == role else 100 for seat in record.match.seats}
    seats = (replace(record.seats[0], stderr=stderr, exit="exit 1"), *record.seats[1:])
    return replace(
        record, verdict=Verdict(scores=scores, reason="forfeit", faults=(fault,)), seats=seats
    )


def evil(record: Record, text: str) -> Record:
    """The first turns of the same match, by bots that say this wherever they can."""
    few = replace(record, turns=record.turns[:12])
    crash = crashed(few, words=text, stderr=f"{text}\n" * 3)
    turns = [turn._replace(remarks=(text, text)) for turn in crash.turns]
    turns[0] = turns[0]._replace(by="strike", rejected_text=text)
    seats = [replace(seat, warnings=(text,), exit=text) for seat in crash.seats]
    call = ModelCall(1, crash.turns[0].role, text, ModelAnswer(text, reasoning=text), "")
    return replace(crash, turns=tuple(turns), seats=tuple(seats), calls=(call,))


def small() -> tuple[Event, list[Record]]:
    """Three bots on two boards; in the first match a bot crashed."""
    of = event()
    first, *others = map(played, plan(of))
    return of, [crashed(first), *others]


def hostile(folder: Path) -> tuple[Event, list[Record]]:
    """Every text that can be anybody's is hostile, also the facts of a game whose rules are written
    into the folder.
    """
    of = event(EVIL[:4], on=[*boards("duel"), talk(folder)])
    return of, [evil(played(match), text) for match, text in zip(plan(of), EVIL * 4, strict=False)]


def store(folder: Path, of: Event, records: Iterable[Record]) -> Path:
    """Make an archive of these records."""
    return stored.store(folder, of, records, plan(of))
