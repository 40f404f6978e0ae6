"""Rows of cards as lines of text."""

from collections.abc import Iterator, Sequence

from arena.protocol import clean
from arena.replay.drawing.board_state import WIDTH, BoardState
from arena.replay.drawing.paint import DIM, paint

FACE_DOWN = "░"


def card_rows(state: BoardState, colour: bool) -> Iterator[str]:
    """Yield three lines for each row of cards, its label before the middle one; as many without cards."""
    margin = max((len(clean(label)) for label, _ in state.cards), default=0) + 3
    for label, cards in state.cards:
        yield from _row(clean(label), [clean(card) for card in cards], margin, colour)


def _row(label: str, cards: Sequence[str], margin: int, colour: bool) -> Iterator[str]:
    faces = [FACE_DOWN * 3 if card == "?" else f" {card} " for card in cards]
    top = f"┌{'┬'.join('─' * len(face) for face in faces)}┐" if faces else ""
    if margin + len(top) > WIDTH:  # too many to draw
        top = bottom = ""
        middle = " ".join(cards)
    else:
        bottom = top.translate(str.maketrans("┌┬┐", "└┴┘"))
        line = paint("│", DIM, colour)
        middle = f"{line}{line.join(faces)}{line}" if faces else ""
    yield f"{'':{margin}}{paint(top, DIM, colour)}"
    yield f" {label:{margin - 1}}{middle}"
    yield f"{'':{margin}}{paint(bottom, DIM, colour)}"
