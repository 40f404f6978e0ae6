"""The bridge of `codingame`: a program that reads the lines of a game of its own, and writes moves.

A template in the bot's options says which lines the program gets, and which answer stands for which
legal move.
"""

# How a template is read
# ----------------------
# Two ways were weighed. A file in Python beside the bot, with a function for each question and one
# for each answer, can say everything; but somebody has to write that code for each bot, and a
# bridge of one's own (`bridge = "mine.py"`) is that already. So a template only has lines with
# names in braces, and two words, `for` and `count`. That is enough for the games of such sites:
# numbers, rows, lists with their length before them. What it cannot say needs a bridge of one's
# own.
#
# A pattern, such as `disc {who} {x} {y}`, is a fact or a move in which each name stands for a text
# without blanks. An answer is never parsed: each legal move is written as the program would write
# it, and the program's line is compared with these texts. So no move needs a second description,
# and an answer that fits no legal move is an illegal one.

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any, NamedTuple

import arena_bridge
import arena_engine

from arena.kit import Turn

KEYS = ("answer", "facts", "move", "none", "start", "turn", "words")
NONE = "-1"
"""What stands for a value that is not there, such as the other side's move in the first turn."""
LEGAL = "legal"
NAME = re.compile(r"\{(\w+)\}")
VALUE = re.compile(r"\{([^{}]*)\}")
SUM = re.compile(r"([\w.]+)(?: *([+-]) *([\w.]+))?")
LOOP = re.compile(r"for (.+?): (.*)")
COUNT = re.compile(r"count (.+)")

Values = Mapping[str, str]


class Pattern:
    """A fact or a move in which names stand for texts."""

    def __init__(self, text: str) -> None:
        self.names = NAME.findall(text)
        parts = re.split(r"\{\w+\}", text)
        pattern = re.escape(parts[0])
        for name, part in zip(self.names, parts[1:], strict=True):
            pattern += rf"(?P<{name}>\S+?)"
            pattern += re.escape(part)
        self._pattern = re.compile(pattern)

    def values(self, text: str) -> dict[str, str] | None:
        """Return the text for each name; None if the pattern does not fit."""
        match = self._pattern.fullmatch(text)
        if match is None:
            return None
        return match.groupdict()


class TemplateLine(NamedTuple):
    """A line of a template."""

    text: str
    """With names in braces; empty for a count."""
    source: str = ""
    """What is repeated or counted: `legal`, or a pattern of facts; empty = nothing."""
    is_count: bool = False


class Template:
    """What the options of a bot say about its game. A mistake in them ends the bot with a line."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        for key in options:
            if key not in KEYS:
                raise arena_bridge.Failed(
                    f"options: the bridge codingame knows no {key!r}; it has {', '.join(KEYS)}"
                )
        self.none = str(options.get("none", NONE))
        self.answer = str(options.get("answer", ""))
        move = str(options.get("move", ""))
        self.move = _pattern("move", move)
        if not self.answer or not self.move.names:
            raise arena_bridge.Failed(
                "options: the bridge codingame needs `move`, a legal move with {names}, and "
                "`answer`, the same move as the program writes it"
            )

        self.facts = [_pattern("facts", text) for text in _texts(options, "facts")]
        self.words: dict[str, str] = {}
        for text in _texts(options, "words"):
            word, word_of_program = _pair(text)
            self.words[word] = word_of_program
        self.start = [_line(text) for text in _texts(options, "start")]
        self.turn = [_line(text) for text in _texts(options, "turn")]

        self._sources = {LEGAL: self.move}
        for line in self.start + self.turn:
            source = line.source
            if source not in {"", LEGAL}:
                self._sources[source] = _pattern("for", source)
        self._refuse_unknown_names()

    def lines(self, lines: Iterable[TemplateLine], turn: Turn) -> Iterator[str]:
        """Yield the lines for the program."""
        values = self._values(turn)
        for line in lines:
            if not line.source:
                yield self._filled(line.text, values)
                continue
            names_of_facts = list(self._found(line.source, turn))
            if line.is_count:
                yield str(len(names_of_facts))
                continue
            for names in names_of_facts:
                values_of_line = values | self._translated(names, turn)
                yield self._filled(line.text, values_of_line)

    def answers(self, turn: Turn) -> dict[str, str]:
        """Return each legal move by the answer that stands for it."""
        values = self._values(turn)
        answers: dict[str, str] = {}
        for move in turn.legal:
            names = self.move.values(move)
            if names is None:
                continue
            values_of_move = values | self._translated(names, turn)
            text = self._filled(self.answer, values_of_move)
            answers.setdefault(_spaced(text), move)
        return answers

    def _found(self, source: str, turn: Turn) -> Iterator[dict[str, str]]:
        """Yield the names and texts of each legal move, or of each fact that fits a pattern."""
        pattern = self._sources[source]
        texts = turn.board + turn.facts
        if source == LEGAL:
            texts = turn.legal
        for text in texts:
            names = pattern.values(text)
            if names is not None:
                yield names

    def _values(self, turn: Turn) -> dict[str, str]:
        """Return the values that every line may name."""
        values = {
            "me": str(turn.roles.index(turn.role)),
            "players": str(len(turn.roles)),
            "turn": str(turn.number),
        }
        for pattern in self.facts:
            values_of_fact: dict[str, str] = dict.fromkeys(pattern.names, self.none)
            for fact in turn.board + turn.facts:
                names = pattern.values(fact)
                if names is not None:
                    values_of_fact = self._translated(names, turn)
                    break
            values |= values_of_fact

        last: dict[str, str] = dict.fromkeys(self.move.names, self.none)
        if turn.last:
            _, move = turn.last[-1]
            names = self.move.values(move)
            if names is not None:
                last = self._translated(names, turn)
        for name, text in last.items():
            values[f"last.{name}"] = text
        return values

    def _translated(self, names: Values, turn: Turn) -> dict[str, str]:
        """Return the texts as the program knows them; a role is its number, from 0."""
        texts: dict[str, str] = {}
        for name, text in names.items():
            if text in self.words:
                texts[name] = self.words[text]
            elif text in turn.roles:
                texts[name] = str(turn.roles.index(text))
            else:
                texts[name] = text
        return texts

    def _filled(self, text: str, values: Values) -> str:
        """Return a line with the values of its names."""

        def value_of(match: re.Match[str]) -> str:
            return self._value(match[1], values)

        return VALUE.sub(value_of, text)

    def _value(self, text: str, values: Values) -> str:
        """Return the value of a name, or of a sum of two."""
        parts = SUM.fullmatch(text)
        if parts is None:
            return self.none
        first_name, sign, second_name = parts.groups()
        first = values.get(first_name, first_name)
        if sign is None:
            return first
        second = values.get(second_name, second_name)
        if self.none in {values.get(first_name), values.get(second_name)}:
            return self.none
        try:
            if sign == "+":
                return str(int(first) + int(second))
            return str(int(first) - int(second))
        except ValueError as error:
            words = f"options: {{{text}}} is no sum, because {first!r} or {second!r} is no number"
            raise arena_bridge.Failed(words) from error

    def _refuse_unknown_names(self) -> None:
        """End with a line if a name in braces can never have a value."""
        known = {"me", "players", "turn"}
        for pattern in self.facts:
            known.update(pattern.names)
        for name in self.move.names:
            known.add(f"last.{name}")
        _refuse_others(self.answer, known.union(self.move.names))
        for line in self.start + self.turn:
            known_in_line = known
            if line.source:
                pattern = self._sources[line.source]
                known_in_line = known.union(pattern.names)
            _refuse_others(line.text, known_in_line)


def _refuse_others(text: str, known: set[str]) -> None:
    for inner in VALUE.findall(text):
        parts = SUM.fullmatch(inner)
        names = [inner]
        if parts is not None:
            names = [parts[1], parts[3]]
        for name in names:
            if name is None or name in known or name.isdigit():
                continue
            known_names = ", ".join(sorted(known))
            raise arena_bridge.Failed(
                f"options: {text!r}: {{{name}}} is no value; there are {known_names}"
            )


def _texts(options: Mapping[str, Any], key: str) -> list[str]:
    value = options.get(key, [])
    if not isinstance(value, list):
        return [str(value)]
    return [str(text) for text in value]


def _pattern(key: str, text: str) -> Pattern:
    try:
        return Pattern(text)
    except re.error as error:  # a name twice, or one that begins with a digit
        raise arena_bridge.Failed(f"options: {key}: {text!r}: {error}") from error


def _pair(text: str) -> tuple[str, str]:
    """Return a word of arena with that of the program."""
    words = text.split()
    if len(words) != 2:
        raise arena_bridge.Failed(
            f"options: words: {text!r}: expected a word of the game and the program's own, such as "
            "'north UP'"
        )
    return words[0], words[1]


def _line(text: str) -> TemplateLine:
    loop = LOOP.fullmatch(text)
    if loop is not None:
        return TemplateLine(loop[2], loop[1])
    count = COUNT.fullmatch(text)
    if count is not None:
        return TemplateLine("", count[1], is_count=True)
    return TemplateLine(text)


def _spaced(text: str) -> str:
    return " ".join(text.split())


class CodinGameBot:
    """The program of a bot, and the match that it plays."""

    def __init__(self, settings: arena_bridge.BridgeSettings, out: IO[str]) -> None:
        self._settings = settings
        self._out = out
        self._template = Template(settings.options)
        self._program: Any = None
        self._has_begun = False

    def prepare(self, turn: Turn) -> None:
        """Start the program: it plays one match, as on the site that it was written for."""
        del turn
        self.close()
        self._program = arena_engine.Engine(self._settings, self._out, "program")
        self._has_begun = False

    def choose(self, turn: Turn) -> str:
        """Write the lines of a turn, read a line, and return the move that it stands for."""
        template = self._template
        if not self._has_begun:
            self._send(template.lines(template.start, turn))
            self._has_begun = True
        self._send(template.lines(template.turn, turn))
        line = self._program.answer(bool, turn.seconds)
        answer = _spaced(line)
        before_remark, _, _ = answer.partition(";")
        answer_without_remark = before_remark.rstrip()

        answers = template.answers(turn)
        for text in (answer, answer_without_remark):
            if text in answers:
                return answers[text]
        return str(arena_bridge.refused(self._settings, answer))

    def close(self) -> None:
        """End the program."""
        if self._program is not None:
            self._program.end()

    def _send(self, lines: Iterable[str]) -> None:
        text = "\n".join(lines)
        if text:
            self._program.send(text)


if __name__ == "__main__":
    out = arena_bridge.own_output()
    player = CodinGameBot(arena_bridge.settings(), out)
    arena_bridge.play(player.choose, player.prepare, out)
    player.close()
