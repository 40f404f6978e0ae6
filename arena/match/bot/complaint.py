"""The line of a bot's stderr that names its error.

This file is pure: a text goes in, and a line comes out. The last line often does not: Node ends
with its version, Java, Perl and Rust with a trace or a hint. Each language has its rows here, by
the shape of what it prints. Verdicts quote this line, and advice.py goes by it.
"""

import re

_AT_EXIT = re.compile(r"Exception ignored in|sys:1: \w*Warning")
"""The beginning of what Python prints while it ends, after the error that ended it."""
_TRACE = re.compile(
    r"\s+at \S"  # Java, Node, C#
    r"|\s+\.\.\. \d+ (more|common frames)"  # Java
    r"|\s+from \S+:\d+"  # Ruby
    r"|note: (run with `RUST_BACKTRACE|Some details are omitted)"
    r"|BEGIN failed--|Compilation failed in require|Execution of \S+ aborted"  # Perl
    r"|\(Use `node --trace-|Node\.js v\d"
    r"|\S*env: use -\[v\]S"
    r"|error: compilation failed$|\d+ errors?$"  # Java, of a source
    r"|stack traceback:|\t\[C\]: |\t\S+: in "  # Lua
    r"|File name: "  # C#
)
"""Lines that follow the line that names the error."""
_NODE = re.compile(r"Node\.js v\d")
_NODE_ERROR = re.compile(r"(Uncaught |<ref \*\d+> )?([A-Za-z_]\w*\.)*\w*(Error|Exception)\b[^:]*:")
_GO = re.compile(r"goroutine \d+ \[")
_GO_ERROR = re.compile(r"(panic|fatal error): ")
_FATAL = re.compile(r"Fatal Python error: |FATAL ERROR: |Unhandled exception[.:]")
"""What Python, Node and C# print before they give up; what follows are figures and traces."""
_JAVAC_ERROR = re.compile(r"\S+\.java:\d+: error: ")
_TRACEBACK = "Traceback (most recent call last):"
_LONGEST_MESSAGE = 5
"""Lines of an error in Python: what it prints after more lines than these is no part of it."""


def complaint(stderr: str) -> str:
    """Return the line of a bot's stderr that names its error, otherwise the last line.

    The text is empty if there is no line.
    """
    lines: list[str] = []
    for line in stderr.split("\n"):
        if not line.strip():
            continue
        if lines and _AT_EXIT.match(line):
            break
        lines.append(line.rstrip("\r"))
    if not lines:
        return ""
    return _named(lines) or _last(lines)


def _named(lines: list[str]) -> str:
    """Return the line with the error, for languages that print much behind it.

    The text is empty where nothing shows it.
    """
    if _NODE.match(lines[-1]):
        return _latest(lines, _NODE_ERROR)
    if any(map(_GO.match, lines)):
        return _latest(lines, _GO_ERROR)
    if any(map(_FATAL.match, lines)):
        return _latest(lines, _FATAL)
    for line in lines:
        if _JAVAC_ERROR.match(line):
            return line
    if _TRACEBACK in lines:
        return _of_traceback(lines)
    return ""


def _of_traceback(lines: list[str]) -> str:
    """Return the first line behind the last traceback of Python; empty if much follows it."""
    begin = len(lines) - lines[::-1].index(_TRACEBACK)
    for number in range(begin, len(lines)):
        if lines[number].startswith(" "):
            continue
        if len(lines) - number > _LONGEST_MESSAGE:
            return ""
        return lines[number]
    return ""


def _latest(lines: list[str], pattern: re.Pattern[str]) -> str:
    for line in reversed(lines):
        if pattern.match(line):
            return line
    return ""


def _last(lines: list[str]) -> str:
    """Return the last line that is no part of a trace."""
    for line in reversed(lines):
        if not _TRACE.match(line):
            return line
    return lines[-1]
