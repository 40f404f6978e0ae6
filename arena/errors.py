"""The user's mistake, and what was perhaps meant. Everything else that is raised is a bug of ours: a traceback."""

from collections.abc import Iterable


class ArenaError(Exception):
    """A mistake of the user: one line that names the file or the key and says what to do next."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`did you mean 'X'?`, with the one that is most like the word; empty where none is."""
    from difflib import get_close_matches  # slow to import, and only a mistake needs it

    near = get_close_matches(word, list(known), n=1)
    return f"did you mean {near[0]!r}?" if near else ""


def known_are(word: str, known: Iterable[str], *, nearest: Iterable[str] = ()) -> str:
    """The end of a sentence: which of the known names was perhaps meant, and all of them.

    `nearest` are other words for them, of which one may be meant too.
    """
    names = list(known)
    meant = did_you_mean(word, [*names, *nearest])
    return f"{f'{meant} Known' if meant else 'known'}: {', '.join(names) or 'none'}"
