"""Finished matches that nobody played, for the tests of what is counted from results."""

from collections.abc import Collection, Mapping, Sequence

from arena.values import Ending, Match, Played

Sides = Sequence[Sequence[str]]


def result(
    sides: Sides,
    bots: str,
    *scores: float,
    label: str = "maze/duel",
    id: str = "",  # noqa: A002  as the field is called
    seed: int = 1,
    repeat: int = 0,
    turns: int = 7,
    endings: Mapping[str, Ending] | None = None,
    absent: Collection[str] = (),
) -> Played:
    """Return a finished match: `result((("fox",), ("dog",)), "ann bob", 100, 0)`, bots and scores
    by role.
    """
    roles = [role for side in sides for role in side]
    game, _, board = label.partition("/")
    return Played(
        id=id or f"{label} {bots} {scores} {seed}",
        game=game,
        board=board,
        repeat=repeat,
        seed=seed,
        seats=dict(zip(roles, bots.split(), strict=True)),
        scores=dict(zip(roles, scores, strict=True)),
        reason="over",
        endings=dict(endings or {}),
        sides=tuple(tuple(side) for side in sides),
        turns=turns,
        fault_turns=dict.fromkeys(endings or (), 1) | dict.fromkeys(absent, 0),
    )


def result_of(
    match: Match,
    sides: Sides,
    scores: Mapping[str, float],
    turns: int = 7,
    absent: Collection[str] = (),
) -> Played:
    """Return a planned match as it ended."""
    names = {seat.role: seat.bot.name for seat in match.seats}
    roles = [role for side in sides for role in side]
    return result(
        sides,
        " ".join(names[role] for role in roles),
        *(scores[role] for role in roles),
        label=match.label,
        id=match.id,
        seed=match.seed,
        repeat=match.repeat,
        turns=turns,
        absent=absent,
    )
