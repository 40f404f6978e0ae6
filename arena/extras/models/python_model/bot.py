"""A bot that asks the event's language model for a move; where nobody answers, it throws dice."""

import json

from arena.kit import Turn, run

PROMPT = """\
You play {game} as {role}.
The board: {board}
The state now: {facts}
The legal moves: {legal}
Answer with one legal move, letter by letter, on a line of its own at the end."""


def choose(turn: Turn) -> str:
    """Your idea goes here: return one of turn.legal."""
    question = PROMPT.format(
        game=turn.game,
        role=turn.role,
        board=json.dumps(turn.board),
        facts=json.dumps(turn.facts),
        legal=json.dumps(turn.legal),
    )
    answer = turn.model(question)
    if answer.error:  # the event has no [model], or its calls are used up
        turn.remark(f"model: {answer.error}")
    last_line = answer.text.strip().rpartition("\n")[2]
    move = last_line.strip()
    if move in turn.legal:
        return move
    turn.fallback("dice")  # tables and replays show that this move is none of the model's
    return turn.random.choice(turn.legal)


# It reads, calls `choose` at each `go`, prints and flushes the answer, and leaves at `end`.
run(choose)
