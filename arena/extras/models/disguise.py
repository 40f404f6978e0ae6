"""A match in other words, for bots that need a language model: is their play memory of a game?

On a board in disguise such a bot gets every role, fact and move in words of a list, on a board that
is reflected where the game has a symmetry, with a manual in the same words. Referee, record and all
other bots know the plain game.
It knows no rules: a `Disguise` changes the lines between the referee and one bot.
"""

# Where the renaming is
# ---------------------
# Three ways were weighed. Rules around the rules (a game whose facts and moves are others) give
# every match a game of its own: roles differ from match to match, so tables have no columns, and
# replays and verification need a way back. A disguise of all seats would blind the bots that search
# by the rules of `turn.rules`, and then nobody would be left to measure by. So it is on the line of
# a seat: what is recorded, replayed, verified, solved and rated is plain, and the opponents play as
# ever.
#
# It is a bijection on texts: words change places two by two, so that an answer in plain words means
# something else, and the reflection of a board has an inverse. Its key is the seed of the match
# with the role. The words of the manual get their partners first, and any other word when it is
# first seen, in the same order whenever the match is played again.

import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, product
from typing import Any

from arena import protocol
from arena.drawing import Grid, Mark, Piece
from arena.game import MIRRORS, Fact, Game, Move, Role
from arena.games import manual
from arena.match.seat import Seats, WrappedSeats
from arena.protocol import Ask, Reply
from arena.replay.drawing.scene import variables
from arena.values import DISGUISED, Match

WORDS = """
acorn anchor apricot atlas balcony banjo barrel basket beaver blossom bottle bramble brass breeze
broom butter cabin camera candle canvas carpet cedar chalk chestnut cider cinnamon coconut cork
cradle crystal cypress denim dragonfly ebony ember falcon fennel fiddle flannel flour fossil freckle
garlic geyser glacier granite gravel hammock harp heather heron hornet jasmine juniper kitten lagoon
lavender lemon lilac lizard lotus mango marble melon mitten mosaic muffin napkin needle nutmeg oasis
onion orchid oyster panther parcel pastry peanut pelican pepper pigeon plum pollen poppy potato
prairie quartz quilt radish ribbon rosemary saddle salmon satin sesame shutter slate sofa spoon
stork sunset tablet teapot thistle timber tulip turtle vanilla violin walnut willow woollen yogurt
""".split()  # noqa: SIM905  a list would take a line for each
"""Words that mean nothing in a game: no numbers, colours, ways, cards, pieces or places of one."""
QUOTED = re.compile('"([^"]*)"')
NUMBER = re.compile("0|-?[1-9][0-9]{0,9}")
WAYS = {
    "north": (0, 1),
    "south": (0, -1),
    "east": (1, 0),
    "west": (-1, 0),
}
Cell = tuple[int, int]


@dataclass(frozen=True)
class Reflection:
    """A way to reflect the cells of one grid.

    It is reflected over the diagonal first, then west to east, then south to north.
    """

    columns: tuple[int, int]
    """The lowest and the highest coordinate."""
    rows: tuple[int, int]
    diagonal: bool = False
    x: bool = False
    y: bool = False

    @property
    def inverse(self) -> "Reflection":
        """The reflection that undoes it."""
        if not self.diagonal:
            return self
        return replace(self, x=self.y, y=self.x)

    def cell(self, cell: Cell) -> Cell:
        """Return where a cell comes to lie."""
        x, y = cell
        if self.diagonal:
            x, y = y, x
        if self.x:
            x = sum(self.columns) - x
        if self.y:
            y = sum(self.rows) - y
        return x, y

    def way(self, word: str) -> str:
        """Return where a direction comes to point; any other word comes back."""
        if word not in WAYS:
            return word
        x, y = self.cell((0, 0))
        neighbour_x, neighbour_y = self.cell(WAYS[word])
        reflected_step = (neighbour_x - x, neighbour_y - y)
        ways_of_steps = {step: way for way, step in WAYS.items()}
        return ways_of_steps[reflected_step]

    def placed(self, pattern: str, text: str) -> str:
        """Return a text that fits a pattern, with its cell, column or row in the reflection."""
        pattern_words = pattern.split()
        words = text.split(" ")
        numbers = {"X": 0, "Y": 0}
        for axis in numbers:
            if axis in pattern_words:
                position = pattern_words.index(axis)
                word = words[position]
                if not NUMBER.fullmatch(word):
                    return text
                numbers[axis] = int(word)

        column, row = self.cell((numbers["X"], numbers["Y"]))
        reflected = {"X": column, "Y": row}
        for axis, number in reflected.items():
            if axis in pattern_words:
                position = pattern_words.index(axis)
                words[position] = str(number)
        return " ".join(words)

    def wall(self, pattern: str, text: str) -> str | None:
        """Return the fact of a wall in the reflection; None for a wall on the rim."""
        pattern_words = pattern.split()
        x = pattern_words.index("X")
        y = pattern_words.index("Y")
        way = pattern_words.index("WAY")
        words = text.split(" ")
        if words[way] not in {"north", "east"}:
            return text

        column = int(words[x])
        row = int(words[y])
        step_x, step_y = WAYS[words[way]]
        cell = self.cell((column, row))
        neighbour = self.cell((column + step_x, row + step_y))
        first, second = sorted([cell, neighbour])
        first_column, first_row = first
        if first_column < self.columns[0] or first_row < self.rows[0]:
            return None

        words[x] = str(first_column)
        words[y] = str(first_row)
        words[way] = "north"
        if first_column < second[0]:
            words[way] = "east"
        return " ".join(words)


def reflection(game: Game[Any], dice: random.Random) -> Reflection | None:
    """Draw a reflection of the game's board; None without a symmetry or without a single grid."""
    sizes = []
    for item in game.drawing:
        if not isinstance(item, Grid) or "GRID" in item.size.split():
            continue
        for fact in game.board():
            values = variables(item.size, fact)
            if values is not None:
                sizes.append(values)
    mirrors = game.symmetry.mirrors
    if not mirrors or len(sizes) != 1:
        return None

    (size,) = sizes
    if "LOW" in size:
        columns = int(size["LOW"]), int(size["HIGH"])
        rows = columns
    else:
        columns = 1, int(size["COLUMNS"])
        rows = 1, int(size["ROWS"])

    chosen = {}
    for mirror in MIRRORS:
        is_drawn = dice.random() < 0.5  # for all of them, so that a game may get another symmetry
        chosen[mirror] = is_drawn and mirror in mirrors
    if columns != rows:
        chosen["diagonal"] = False
    return Reflection(columns, rows, **chosen)


class Vocabulary:
    """Words that change places, two by two. Numbers and signs stay as they are."""

    def __init__(self, dice: random.Random, words: tuple[str, ...]) -> None:
        """`words` have partners from the beginning."""
        free = [word for word in WORDS if word not in words]
        dice.shuffle(free)
        pairs = map("-".join, product(free, free))
        self._free: Iterator[str] = chain(free, pairs)
        self._partners: dict[str, str] = {}
        for word in words:
            self.partner(word)

    def partner(self, word: str) -> str:
        """Return the other word of a pair; a word that has none gets one."""
        if not manual.is_word(word):
            return word
        if word not in self._partners:
            partner = next(self._free)
            while partner in self._partners:
                partner = next(self._free)
            self._partners[word] = partner
            self._partners[partner] = word
        return self._partners[word]

    def known(self, word: str) -> str:
        """Return the other word of a pair, or the same word where it has none."""
        return self._partners.get(word, word)

    def swapped(self, text: str) -> str:
        """Return a text with the partner of each word."""
        partners = map(self.partner, text.split(" "))
        return " ".join(partners)

    def swapped_where_known(self, text: str) -> str:
        """Return a text with the partner of each word that has one."""
        partners = map(self.known, text.split(" "))
        return " ".join(partners)


class Disguise:
    """The lines between the referee and one bot, in other words."""

    def __init__(self, game: Game[Any], match: Match, role: Role) -> None:
        self._game = game
        dice = random.Random(f"disguise/{match.seed}/{role}")
        self._reflection = reflection(game, dice)
        board = match.board.removesuffix(DISGUISED)
        words = [match.game, board]
        words += game.roles
        words += manual.words(game.manual)
        distinct_words = dict.fromkeys(words)
        self._vocabulary = Vocabulary(dice, tuple(distinct_words))
        self._plain: Mapping[Move, Move] = {}
        """The legal moves of the question, by how the bot sees them."""
        swapped = self._vocabulary.swapped

        def swapped_label(_label: str) -> str:
            return f"{swapped(match.game)}/{swapped(board)}"

        def swapped_end(reason: str) -> str:
            if reason == "forfeit":
                return reason
            return swapped(reason)

        self._changes: Mapping[str, Callable[[str], str | None]] = {
            "game": swapped_label,
            "roles": swapped,
            "role": swapped,
            "parameters": lambda _: None,
            "board": self.fact,
            "state": self.fact,
            "legal": self.move,
            "last": self._last,
            "note": self._quoted,
            "fault": self._quoted,
            "score": swapped,
            "end": swapped_end,
        }

    def fact(self, fact: Fact) -> Fact | None:
        """Return a fact as the bot sees it; None for one that says nothing there."""
        reflected = self._reflected_fact(fact)
        if reflected is None:
            return None
        return self._vocabulary.swapped(reflected)

    def move(self, move: Move) -> Move:
        """Return a move as the bot sees it."""
        reflected = self._reflected_move(move, self._reflection)
        return self._vocabulary.swapped(reflected)

    def ask(self, ask: Ask) -> Ask:
        """Return a question as the bot reads it."""
        text = protocol.rewritten(ask.text, self._changes, self.manual)
        self._plain = {self.move(move): move for move in ask.legal}
        return ask._replace(text=text, legal=tuple(self._plain))

    def reply(self, reply: Reply) -> Reply:
        """Return the bot's answer in plain words, also if it is no legal move."""
        if reply.ending is not None or not self._plain:
            return reply
        disguised_move = protocol.read_move(reply.line)
        if disguised_move is None:
            return reply
        move = self._plain.get(disguised_move)
        if move is None:
            way_back = None
            if self._reflection is not None:
                way_back = self._reflection.inverse
            plain_words = self._vocabulary.swapped_where_known(disguised_move)
            move = self._reflected_move(plain_words, way_back)
        return reply._replace(line=move.encode())

    def last_words(self, text: bytes) -> bytes:
        """Return the last lines for the bot as it reads them."""
        return protocol.rewritten(text, self._changes)

    @property
    def manual(self) -> tuple[str, ...]:
        """The lines of the manual in the bot's words."""
        return manual.lines(self._game.manual, self._vocabulary.partner)

    def _reflected_fact(self, fact: Fact) -> Fact | None:
        """Return a fact of the reflected board; None for a wall on its rim."""
        if self._reflection is None:
            return fact
        for item in self._game.drawing:
            if isinstance(item, Grid) and variables(item.walls, fact) is not None:
                return self._reflection.wall(item.walls, fact)
            if isinstance(item, Piece | Mark) and variables(item.fact, fact) is not None:
                return self._reflection.placed(item.fact, fact)
        return fact

    def _reflected_move(self, move: Move, reflection: Reflection | None) -> Move:
        """Return a move, or an answer of a bot, on the board in this reflection."""
        has_other_blanks = move.split() != move.split(" ")  # no move has them, an answer may
        if reflection is None or has_other_blanks:
            return move
        for pattern in self._game.symmetry.moves:
            if variables(pattern, move) is not None:
                return reflection.placed(pattern, move)
        words = move.split(" ")
        reflected_words = map(reflection.way, words)
        return " ".join(reflected_words)

    def _last(self, value: str) -> str:
        role, _, move = value.partition(" ")
        return f"{self._vocabulary.partner(role)} {self.move(move)}"

    def _quoted(self, value: str) -> str:
        """Return a sentence with its quotations (answers and moves) in the bot's words."""

        def disguised(quotation: re.Match[str]) -> str:
            reflected = self._reflected_move(quotation[1], self._reflection)
            swapped = self._vocabulary.swapped_where_known(reflected)
            return f'"{swapped}"'

        return QUOTED.sub(disguised, value)


class Disguises:
    """The disguises of a match by role; only bots that need a language model have one."""

    def __init__(self, game: Game[Any], match: Match) -> None:
        self._by_role: dict[Role, Disguise] = {}
        if not match.board.endswith(DISGUISED):
            return
        for seat in match.seats:
            if seat.bot.model:
                self._by_role[seat.role] = Disguise(game, match, seat.role)

    def asks(self, asks: Mapping[Role, Ask]) -> dict[Role, Ask]:
        """Return questions as their bots read them."""
        read = dict(asks)
        for role, disguise in self._by_role.items():
            if role in asks:
                read[role] = disguise.ask(asks[role])
        return read

    def replies(self, replies: Mapping[Role, Reply]) -> dict[Role, Reply]:
        """Return answers as the referee reads them."""
        plain = dict(replies)
        for role, disguise in self._by_role.items():
            if role in replies:
                plain[role] = disguise.reply(replies[role])
        return plain

    def last_words(self, role: Role, text: bytes) -> bytes:
        """Return the last lines for the bot of a role as it reads them."""
        disguise = self._by_role.get(role)
        if disguise is None:
            return text
        return disguise.last_words(text)

    def around(self, seats: Seats) -> Seats:
        """Return these seats, in disguise if one of them is."""
        if self._by_role.keys().isdisjoint(seats.roles):
            return seats
        return DisguisedSeats(seats, self)


class DisguisedSeats(WrappedSeats):
    """Seats of which some read and write other words."""

    def __init__(self, seats: Seats, disguises: Disguises) -> None:
        super().__init__(seats)
        self._disguises = disguises

    def ask(self, asks: Mapping[Role, Ask]) -> dict[Role, Reply]:
        """Part of `Seats`: both directions are plain outside."""
        disguised_asks = self._disguises.asks(asks)
        replies = self.seats.ask(disguised_asks)
        return self._disguises.replies(replies)

    def dismiss(self, role: Role, text: bytes) -> None:
        """Part of `Seats`."""
        self.seats.dismiss(role, self._disguises.last_words(role, text))

    def say_goodbye(self, texts: Mapping[Role, bytes]) -> None:
        """Part of `Seats`."""
        words = {}
        for role, text in texts.items():
            words[role] = self._disguises.last_words(role, text)
        self.seats.say_goodbye(words)
