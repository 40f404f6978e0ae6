"""An engine behind a bridge: a second process, whose lines the bridge reads within limits.

Each way in which it can fail is a line on stderr, or a remark, that names the engine: the verdict
quotes it. Nothing here knows of a game.
"""

import contextlib
import difflib
import os
import re
import select
import subprocess
import time
from collections.abc import Callable, Mapping
from typing import IO, Any, NamedTuple

import arena_bridge

from arena.kit import Turn

LONGEST_LINE_BYTES = 65_536
MOST_BYTES = 4_000_000
"""Of an engine's output after one question, as of a bot's output in a turn."""
PART_BYTES = 65_536
SHARE = 0.05
"""Of the time for an answer that the bridge keeps back, at most RESERVE_S: the engine's line has to
come through two pipes."""
RESERVE_S = 0.05

START_SHARE = 0.7
"""Of the start time, after which the engine is called silent."""


class EngineOption(NamedTuple):
    """An option as an engine declares it."""

    kind: str
    """`check`, `spin` and `combo` are known; an option of another kind takes any text."""
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()

    def expected(self, value: str) -> str:
        """Return what the engine takes instead of a value; empty if it takes the value."""
        if self.kind == "check" and value not in {"true", "false"}:
            return "true or false"
        if self.kind == "combo" and value not in self.choices:
            return f"one of {', '.join(self.choices)}"
        if self.kind == "spin":
            if not re.fullmatch(r"-?\d+", value):
                return "a whole number"
            too_low = self.least is not None and int(value) < self.least
            too_high = self.most is not None and int(value) > self.most
            if too_low or too_high:
                return f"{self.least} to {self.most}"
        return ""


class Engine:
    """A process that is asked by lines. It ends together with the bot."""

    def __init__(
        self,
        settings: arena_bridge.BridgeSettings,
        out: IO[str],
        noun: str = "engine",
    ) -> None:
        self.name = f"the {noun} {settings.name}"
        """For sentences."""
        self._out = out
        self._asked = "nothing"
        """The last line that it was sent, for sentences."""
        self._text = b""
        """What it has printed of a line that is not whole."""
        self._lines: list[bytes] = []
        """Whole lines that nobody has read, the last one first."""
        self._bytes = 0
        """What it has printed since the last question."""
        try:
            self._process = subprocess.Popen(
                settings.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
            )
        except OSError as error:
            raise arena_bridge.Failed(f"{self.name} cannot be started: {error.strerror}") from error
        self._input: Any = self._process.stdin
        self._output: Any = self._process.stdout

    def send(self, line: str) -> None:
        """Write a line to it."""
        self._asked = line
        self._bytes = 0
        try:
            self._input.write(f"{line}\n".encode())
        except OSError:  # it has gone; what it said last may still be there
            if not self._lines:
                self._say_how_it_ended()

    def line(self, until: float | None) -> str | None:
        """Return its next line; None if there is none at the moment `until` (monotonic)."""
        while not self._lines:
            left = None
            if until is not None:
                left = max(0.0, until - time.monotonic())
            ready, _, _ = select.select([self._output], [], [], left)
            if not ready:
                return None
            part = os.read(self._output.fileno(), PART_BYTES)
            if not part:
                self._say_how_it_ended()
            self._take(part)
        line = self._lines.pop()
        return line.decode("utf-8", "backslashreplace").strip()

    def answer(
        self,
        is_answer: Callable[[str], bool],
        seconds: float | None,
        hurry: str = "",
    ) -> str:
        """Return the first line that is an answer, within the seconds that the referee waits.

        A line `hurry` is sent before they have passed. After that a remark says that the engine is
        silent, and the bridge waits for the referee to end the match.
        """
        question = self._asked
        late = None
        if seconds is not None:
            late = time.monotonic() + max(0.0, seconds - reserve(seconds))
        if hurry and seconds is not None and late is not None:
            first_deadline = late - reserve(seconds)
            answer = self._answer_until(is_answer, first_deadline)
            if answer is not None:
                return answer
            self.send(hurry)

        answer = self._answer_until(is_answer, late)
        if answer is not None:
            return answer
        words = f"{self.name} has given no answer to '{arena_bridge.short(question)}'"
        self._out.write(f"# {words}\n")
        self._out.flush()
        return self._answer_until(is_answer, None) or ""

    def checked_option(
        self,
        options: Mapping[str, EngineOption],
        name: str,
        value: arena_bridge.Option,
    ) -> tuple[str, str]:
        """Return the engine's own name of an option, and the value as a text.

        End with a line where the engine has no such option, or does not take the value.
        """
        names = {known.lower(): known for known in options}
        known = names.get(name.lower())
        if known is None:
            near = difflib.get_close_matches(name, list(options), n=1)
            hint = f"it has: {', '.join(options)}"
            if near:
                hint = f"did you mean {near[0]!r}?"
            raise self.failure(f"has no option {name!r}; {hint}")
        text = str(value)
        if isinstance(value, bool):
            text = text.lower()
        expected = options[known].expected(text)
        if expected:
            raise self.failure(f"takes as {known!r} {expected}, and not {text!r}")
        return known, text

    def failure(self, words: str) -> SystemExit:
        """End the engine; return the end of the bot, in words about the engine.

        The engine is ended first, because the verdict quotes the last line of stderr, and an engine
        that loses its bridge may complain there.
        """
        self.end()
        failure: SystemExit = arena_bridge.Failed(f"{self.name} {words}")
        return failure

    def quit(self, line: str) -> None:
        """Tell it to end."""
        with contextlib.suppress(OSError, SystemExit):
            self.send(line)

    def end(self) -> None:
        """Kill it, and wait until it has gone."""
        self._process.kill()
        self._process.wait()
        self._output.close()

    def _answer_until(self, is_answer: Callable[[str], bool], until: float | None) -> str | None:
        while True:
            line = self.line(until)
            if line is None or is_answer(line):
                return line

    def _take(self, part: bytes) -> None:
        """Cut what it has printed into lines."""
        self._bytes += len(part)
        question = arena_bridge.short(self._asked)
        if self._bytes > MOST_BYTES:
            raise self.failure(f"printed more than {MOST_BYTES // 1_000_000} MB after '{question}'")
        lines = (self._text + part).split(b"\n")
        longest = max(map(len, lines))
        self._text = lines.pop()
        self._lines = lines[::-1]
        if longest > LONGEST_LINE_BYTES:
            raise self.failure(
                f"printed a line of more than {LONGEST_LINE_BYTES} bytes after '{question}'"
            )

    def _say_how_it_ended(self) -> None:
        """End, since the engine has ended or closed its output."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.2)
        code = self._process.returncode
        if code is None:
            how = "closed its output"
        elif code < 0:
            how = f"was ended by signal {-code}"
        else:
            how = f"ended with exit status {code}"
        raise self.failure(f"{how} after '{arena_bridge.short(self._asked)}'")


def reserve(seconds: float) -> float:
    """Return how much of the time for an answer the bridge keeps back."""
    return min(RESERVE_S, SHARE * seconds)


def start_seconds(turn: Turn) -> float | None:
    """Return how long an engine may be silent at its start before a remark says so.

    None = for ever. The clock has run since before the bridge itself was there.
    """
    seconds = clock(turn, "start")
    if seconds is None:
        return None
    return START_SHARE * seconds


def clock(turn: Turn, name: str) -> float | None:
    """Return the seconds of a clock that the protocol tells at the start; None = it has none."""
    words = turn.time.split()
    if name not in words:
        return None
    milliseconds = words[words.index(name) + 1]
    return int(milliseconds) / 1000
