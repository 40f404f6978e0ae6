"""The one loop of the tests' bots in Python: a test says what its bot does at a message, and
nothing else.
"""

from textwrap import dedent, indent


def python(
    go: str = "say(legal[0])",
    *,
    first: str = "",
    each: str = "",
    ready: str = 'say("ready")',
    end: str = "pass",
) -> str:
    """Return a bot that runs `first`, then `each` at every line (`word`, `rest`), and the others at
    their messages.

    They have `legal`, the legal moves of this turn, and `turns`, the turns so far; `say` writes a
    line.
    """
    return f"""\
import os, sys, time
def say(*words): print(*words, flush=True)
{dedent(first)}
legal, turns = [], 0
for line in sys.stdin:
    word, _, rest = line.rstrip("\\r\\n").partition(" ")
{_block(each, 4)}
    if word == "ready?":
{_block(ready, 8)}
    elif word == "turn":
        legal, turns = [], turns + 1
    elif word == "legal":
        legal.append(rest)
    elif word == "go":
{_block(go, 8)}
    elif word == "end":
{_block(end, 8)}
"""


def _block(text: str, depth: int) -> str:
    return indent(dedent(text).strip("\n"), " " * depth)
