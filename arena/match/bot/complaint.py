"""The line of a bot's stderr that names its error: pure, text in, a line out.

The last line often does not: Node ends with its version, Java, Perl and Rust with a trace or a
hint. Each language has its rows here, by the shape of what it prints. Verdicts quote this line, and
advice.py goes by it.
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

    Empty without any line.
    """
    lines = [line.rstrip("\r") for line in stderr.split("\n") if line.strip()]
    for number, line in enumerate(lines):
        if number and _AT_EXIT.match(line):
            del lines[number:]
            break
    if not lines:
        return ""
    return _named(lines) or _last(lines)


def _named(lines: list[str]) -> str:
    """Return the line with the error, for languages that print much behind it.

    The text is empty where nothing shows it.
    """
    if _NODE.match(lines[-1]):
        return _latest(lines, _NODE_ERROR)
    if any(_GO.match(line) for line in lines):
        return _latest(lines, _GO_ERROR)
    if any(_FATAL.match(line) for line in lines):
        return _latest(lines, _FATAL)
    if any(_JAVAC_ERROR.match(line) for line in lines):
        return next(line for line in lines if _JAVAC_ERROR.match(line))
    if _TRACEBACK in lines:
        begin = len(lines) - lines[::-1].index(_TRACEBACK)
        for number in range(begin, len(lines)):
            if not lines[number].startswith(" "):
                return lines[number] if len(lines) - number <= _LONGEST_MESSAGE else ""
    return ""


def _latest(lines: list[str], pattern: re.Pattern[str]) -> str:
    return next((line for line in reversed(lines) if pattern.match(line)), "")


def _last(lines: list[str]) -> str:
    """Return the last line that is no part of a trace."""
    return next((line for line in reversed(lines) if not _TRACE.match(line)), lines[-1])
