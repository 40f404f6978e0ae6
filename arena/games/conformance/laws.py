"""The laws that the referee relies on in any game.

A law is a generator: it yields a sentence for each breach. It knows the contract of `arena.game`
and no game. A law looks at the game alone, at one state of a playout, or at a whole playout. It
does not know who tests it, nor what becomes of its sentences.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain, pairwise
from typing import Any, NamedTuple, TypeAlias

from arena.drawing import COLOURS, MAZE, SHAPES, Cards, Grid, LetterRows, Mark, Piece
from arena.game import CHANCE, MIRRORS, Game, Move, Outcome, Role, Symmetry
from arena.games import manual
from arena.games.quality import Assessor, Estimator, PerfectPlay
from arena.protocol import LINE_LIMIT

LONGEST = 10_000
"""Turns after which a playout counts as endless."""
MOST_CHARACTERS = 200
"""Of a wrong value, in a sentence."""
ROLE = re.compile(r"[a-z][a-z0-9_]*")


class Position(NamedTuple):
    """One state of a playout, and the moves made in it; no moves in its last."""

    state: Any
    moves: Mapping[Role, Move]


Playout: TypeAlias = tuple[Position, ...]
"""All positions of one playout, in their order."""
Breaches: TypeAlias = Iterator[tuple[int, str]]
"""Of each breach in a playout the number of turns before it, and the sentence."""

# The game itself


def lasting(game: Game[Any]) -> Iterator[str]:
    """The game itself is a value, and begins in one way."""
    if not _hashable(game):
        yield "the game is not hashable: make it a frozen dataclass, with tuples for lists"
    if game.start() != game.start():
        yield (
            "start() differs from call to call: what chance decides is a move of the role 'chance'"
        )


def roles(game: Game[Any]) -> Iterator[str]:
    """Roles are words, and the sides share them out."""
    roles = tuple(game.roles)
    if not roles or len(set(roles)) < len(roles):
        yield f"roles {roles} are none, or repeat"
    for role in roles:
        if not ROLE.fullmatch(role) or role == CHANCE:
            yield (
                f"role {role!r} is not a word of a-z, 0-9 and _, "
                f"or is {CHANCE!r}, which the referee plays"
            )
    on_sides = sorted(chain.from_iterable(game.sides))
    if on_sides != sorted(roles) or not all(game.sides):
        yield f"sides {tuple(game.sides)} do not have every role once"


def board(game: Game[Any]) -> Iterator[str]:
    """The facts of the board are lines of words."""
    yield from _text("board", game.board())


def drawing(game: Game[Any]) -> Iterator[str]:
    """The declarations of the drawing can be read."""
    known_colours = {"", "ROLE"} | set(COLOURS)
    for item in getattr(game, "drawing", MAZE):
        if isinstance(item, Piece | Mark):
            words = item.fact.split()
            if "X" not in words or "Y" not in words:
                yield f"drawing: {item.fact!r} does not say where X and Y are"
            if item.shape not in SHAPES:
                shapes = ", ".join(SHAPES)
                yield f"drawing: {item.fact!r} has the shape {item.shape!r}; shapes are {shapes}"
            if item.colour not in known_colours:
                colours = f"{', '.join(COLOURS)}, ROLE"
                yield (
                    f"drawing: {item.fact!r} has the colour {item.colour!r}; colours are {colours}"
                )
        elif isinstance(item, Cards):
            last_word = item.fact.split()[-1:]
            if last_word not in (["CARD"], ["CARDS"]):
                yield f"drawing: {item.fact!r} does not end with CARD or CARDS"
        elif not isinstance(item, Grid | LetterRows):
            yield f"drawing: {item!r} is no Grid, Piece, Mark, Cards or LetterRows"


def symmetry(game: Game[Any]) -> Iterator[str]:
    """The mirrors of a symmetry are known."""
    symmetry = getattr(game, "symmetry", Symmetry())
    for mirror in symmetry.mirrors:
        if mirror not in MIRRORS:
            yield f"symmetry: there is no mirror {mirror!r}; mirrors are {', '.join(MIRRORS)}"


# One state


def kinds(game: Game[Any], step: Position) -> Iterator[str]:
    """The rules return values of the right kind, which all other laws count on."""
    movers = game.to_move(step.state)
    yield from _listed("to_move", movers)
    if isinstance(movers, Collection) and set(movers) <= _possible_movers(game):
        for role in movers:
            legal = game.legal_moves(step.state, role)
            yield from _listed(f"legal moves of {role}", legal)
    for viewer in viewers(game):
        facts = game.view(step.state, viewer)
        yield from _listed(f"view of {viewer or 'everything'}", facts)

    outcome = game.outcome(step.state)
    if outcome is None:
        return
    if not isinstance(outcome, Outcome) or not isinstance(outcome.scores, Mapping):
        yield (
            f"outcome returns {_short(outcome)}: "
            "return None, or Outcome({role: score, ...}, reason)"
        )


def turns(game: Game[Any], step: Position) -> Iterator[str]:
    """Somebody is to move exactly until there is an outcome."""
    movers = game.to_move(step.state)
    is_over = game.outcome(step.state) is not None
    if bool(movers) == is_over:
        yield f"to_move is {movers} where the outcome is {game.outcome(step.state)}"

    different_movers = set(movers)
    repeats = len(different_movers) < len(movers)
    if repeats or not different_movers <= _possible_movers(game):
        yield f"to_move {movers} repeats a role, or names one that there is not"


def moves(game: Game[Any], step: Position) -> Iterator[str]:
    """Every role that is to move has moves, in a fixed order, once each, as text."""
    for role in game.to_move(step.state):
        legal = game.legal_moves(step.state, role)
        if not legal:
            yield f"{role} is to move and has no legal move"
        if len(set(legal)) < len(legal):
            yield f"legal moves of {role} repeat"
        legal_again = game.legal_moves(step.state, role)
        if tuple(legal) != tuple(legal_again):
            yield f"legal moves of {role} are in another order the second time"
        yield from _text(f"legal moves of {role}", legal)


def outcomes(game: Game[Any], step: Position) -> Iterator[str]:
    """Every role has a whole score from 0 to 100, for a reason."""
    outcome = game.outcome(step.state)
    if outcome is None:
        return
    if set(outcome.scores) != set(game.roles):
        yield f"the outcome scores {tuple(outcome.scores)}, and the roles are {tuple(game.roles)}"
    for role, score in outcome.scores.items():
        if type(score) is not int or not 0 <= score <= 100:
            yield f"{role} scores {score!r}, which is no whole number from 0 to 100"
    if outcome.reason == "forfeit":
        yield "the reason 'forfeit' is the referee's word"
    yield from _text("reason", [outcome.reason])


def views(game: Game[Any], step: Position) -> Iterator[str]:
    """Every view is lines of words, and the same in each call; in an open game all are alike."""
    is_open = getattr(game, "open", False)  # if it is, the referee asks only for one view
    everything = game.view(step.state, None)
    for role in viewers(game):
        facts = game.view(step.state, role)
        if role is None or facts != everything:
            yield from _text(f"view of {role or 'everything'}", facts)
        if facts != game.view(step.state, role):
            yield f"view(state, {role!r}) differs from call to call"
        elif is_open and facts != everything:
            yield (
                f"the game is open, but view(state, {role!r}) is not view(state, None): "
                "leave out `open = True`"
            )


def values(game: Game[Any], step: Position) -> Iterator[str]:
    """A state is a value: hashable, and not changed by being played on."""
    if not _hashable(step.state):
        yield "states are not hashable: use tuples, frozensets, NamedTuples or frozen dataclasses"
        return
    before = (hash(step.state), game.view(step.state, None))
    if _complete(game, step):
        game.play(step.state, step.moves)
    after = (hash(step.state), game.view(step.state, None))
    if before != after:
        yield "play changes the state that it is given"


def at_once(game: Game[Any], step: Position) -> Iterator[str]:
    """Moves of one turn are made at once: the order in which they are passed has no effect."""
    if len(step.moves) < 2 or not _complete(game, step):
        return
    items = list(step.moves.items())
    reversed_moves = dict(reversed(items))
    state = game.play(step.state, step.moves)
    other_state = game.play(step.state, reversed_moves)
    if state != other_state:
        yield (
            "play depends on the order of the moves that are made at once: "
            "take them by role, not in turn"
        )


# A whole playout


def ends(game: Game[Any], steps: Playout) -> Breaches:
    """A match has an end."""
    del game
    if len(steps) > LONGEST:
        yield LONGEST, f"a random playout has no end within {LONGEST} turns: add a step limit"


def tells(game: Game[Any], steps: Playout) -> Breaches:
    """The view of everything is the state in words.

    Records, replays and their digests have nothing else.
    """
    by_view: dict[tuple[str, ...], Any] = {}
    for index, (state, _) in enumerate(steps):
        view = tuple(game.view(state, None))
        if by_view.setdefault(view, state) != state:
            sentence = "view(state, None) is the same for different states: it must tell everything"
            yield index, sentence
            return


def repeats(game: Game[Any], steps: Playout) -> Breaches:
    """The same moves lead to the same states, or no match could be played again."""
    state = game.start()
    for index, (step, next_step) in enumerate(pairwise(steps)):
        if state != step.state or not _complete(game, step):
            return
        state = game.play(state, step.moves)
        first_state = next_step.state
        is_another = state != first_state
        if is_another or game.view(state, None) != game.view(first_state, None):
            yield index, "the same moves lead to another state the second time"
            return


def explained(game: Game[Any], steps: Playout) -> Breaches:
    """A manual has every word that a bot may meet.

    A bot in disguise has nothing else to understand the game by.
    """
    text = getattr(game, "manual", "")
    if not text:
        return
    explained = set(manual.words(text))
    checked_lines: set[str] = set()
    for index, (state, _) in enumerate(steps):
        lines = _lines_of(game, state) - checked_lines
        checked_lines |= lines
        missing = set()
        for word in chain.from_iterable(map(str.split, lines)):
            if manual.is_word(word) and word not in explained:
                missing.add(word)
        if missing:
            first_missing = sorted(missing)[:10]
            quoted = ", ".join(f"`{word}`" for word in first_missing)
            yield index, f"manual: it does not explain {quoted}, in backticks"
            return


def _lines_of(game: Game[Any], state: Any) -> set[str]:
    """Return every line that a bot may receive or send in a state."""
    lines = set(game.roles)
    lines.update(game.board())
    lines.update(game.view(state, None))
    for role in game.to_move(state):
        if role != CHANCE:
            lines.update(game.legal_moves(state, role))
    return lines


def solved(game: Game[Any], steps: Playout) -> Breaches:
    """The values that rules compute are those of perfect play.

    Some move keeps them, and no move does better.
    """
    value = _computed(game, PerfectPlay)
    if value is None:
        return
    assessor = PerfectPlay(game, value)
    for index, (state, moves) in enumerate(steps):
        outcome = game.outcome(state)
        if outcome is not None:
            score, turns = value(state)
            first_role = game.sides[0][0]
            final_score = outcome.scores[first_role]
            if score != final_score or turns != 0:
                sentence = (
                    f"solve says {score} in {turns} turns where the match is over, "
                    f"with {dict(outcome.scores)}"
                )
                yield index, sentence
                return
        elif len(moves) > 1 or CHANCE in moves:
            sentence = (
                "solve is for games in which one role moves at a time, and chance never: "
                "leave it out"
            )
            yield index, sentence
            return
        for role in moves:
            if not _keeps_value(game, assessor, state, role):
                yield index, "solve's value of a state is not that of the best move there"
                return


def _keeps_value(
    game: Game[Any],
    assessor: PerfectPlay,
    state: Any,
    role: Role,
) -> bool:
    """Return whether the best legal move loses nothing, and no move gains anything."""
    legal = game.legal_moves(state, role)
    qualities = [assessor.quality(state, role, move) for move in legal]
    least_points = min(quality.points for quality in qualities)
    if least_points != 0:
        return False
    turns_lost = [quality.turns for quality in qualities if quality.points == 0]
    return min(turns_lost) == 0


def estimated(game: Game[Any], steps: Playout) -> Breaches:
    """The values of a search have the right form.

    The search sees an end of the match that is one move away.
    """
    worth = _computed(game, Estimator)
    if worth is None or len(steps) < 2:
        return
    # One position of each playout, because a search may take some milliseconds: the last.
    index = len(steps) - 2
    state, moves = steps[index]
    for role in moves:
        if role == CHANCE:
            continue
        values = worth(state, role)
        if values.keys() != set(game.legal_moves(state, role)):
            sentence = (
                f"estimate has values for {sorted(values)}, which are not the legal moves of {role}"
            )
            yield index, sentence
            return
        for score, turns in values.values():
            if not 0 <= score <= 100 or turns < 0:
                sentence = (
                    f"estimate says {score} in {turns} turns; "
                    "scores are 0 to 100, and turns not negative"
                )
                yield index, sentence
                return
        if len(moves) > 1:
            continue
        for move, value in values.items():
            next_state = game.play(state, {role: move})
            outcome = game.outcome(next_state)
            if outcome is None:
                continue
            side = next(side for side in game.sides if role in side)
            sum_of_scores = sum(outcome.scores[member] for member in side)
            score = sum_of_scores // len(side)
            if value.score != score:
                sentence = (
                    f"estimate says {value.score} for {move!r}, which ends the match with {score}"
                )
                yield index, sentence
                return


# What only the author of the rules can know


def secrets(game: Game[Any], step: Position) -> Iterator[str]:
    """A game is `hidden` if the view of a role does not show another role's move.

    Otherwise the referee sends every move to every role.
    """
    if game.hidden or not _complete(game, step):
        return
    after = game.play(step.state, step.moves)
    for mover, move in step.moves.items():
        legal = game.legal_moves(step.state, mover)
        choices = [choice for choice in legal if choice != move]
        if mover == CHANCE or not choices:
            continue
        other_moves = {**step.moves, mover: choices[0]}
        instead = game.play(step.state, other_moves)
        if game.view(after, mover) == game.view(instead, mover):
            continue  # two moves of the same effect
        if not _asks_bots(game, after) or not _asks_bots(game, instead):
            continue  # without a reader the views may say nothing
        for role in game.roles:
            if role != mover and game.view(after, role) == game.view(instead, role):
                yield (
                    f"the view of {role} does not show which move {mover} made, but the referee "
                    "tells every move: write `hidden = True` if it is a secret"
                )


def _asks_bots(game: Game[Any], state: Any) -> bool:
    """Return whether bots are to move, which they are not before a move of chance or at the end."""
    movers = game.to_move(state)
    return len(movers) > 0 and CHANCE not in movers


def _possible_movers(game: Game[Any]) -> set[Role]:
    return {CHANCE}.union(game.roles)


def viewers(game: Game[Any]) -> list[Role | None]:
    """Return all who may see a state: each role, after the referee, which is None."""
    everybody: list[Role | None] = [None]
    everybody.extend(game.roles)
    return everybody


def _computed(game: Any, kind: type[Assessor]) -> Any:
    """Return the function by which the rules assess moves.

    Return None where they have none, or where the law `lasting` complains. It does not ask
    `kind.of`, which hides a failure of the rules.
    """
    if not kind.offered(game) or not _hashable(game):
        return None
    return _called(game, kind.METHOD)


@lru_cache(2)  # rules may compute for long, and every playout asks for it
def _called(game: Any, method: str) -> Any:
    return getattr(game, method)()


def _complete(game: Game[Any], step: Position) -> bool:
    """Return whether every role that is to move has a move."""
    if not step.moves:
        return False
    return len(step.moves) == len(game.to_move(step.state))


def _text(name: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield a sentence for each text that is not a line of words, as the protocol sends them."""
    wrong_kinds = list(_listed(name, lines))
    if wrong_kinds:
        yield from wrong_kinds
        return
    for line in lines:
        if not isinstance(line, str) or not line.isprintable() or not _is_spaced(line):
            yield f"{name}: {line!r} is not one line of words with single spaces"
        elif line.startswith("#"):
            yield f"{name}: {line!r} begins with #, which marks a bot's remark"
        elif len(line.encode()) > LINE_LIMIT // 2:
            yield f"{name}: a line of {len(line)} characters is longer than a bot may answer"


def _is_spaced(line: str) -> bool:
    """Return whether a line is words with single spaces between them."""
    return line != "" and line == line.strip() and "  " not in line


def _listed(name: str, texts: object) -> Iterator[str]:
    """Yield a sentence unless this is a tuple of texts, or something alike."""
    if isinstance(texts, str):
        text = _short(texts)
        yield f"{name}: {text} is one text and not a tuple of them: write ({text},)"
    elif not isinstance(texts, Collection):
        yield f"{name}: {_short(texts)} is no tuple of texts"


def _short(value: object) -> str:
    """Return a value as Python writes it, up to a length that can be read."""
    text = repr(value)
    if len(text) > MOST_CHARACTERS:
        return f"{text[:MOST_CHARACTERS]}..."
    return text


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


OF_THE_GAME = (lasting, roles, board, drawing, symmetry)
OF_A_STATE = (turns, moves, outcomes, views, values, at_once)
OF_A_PLAYOUT = (ends, tells, repeats, explained, solved, estimated)
