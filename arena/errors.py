"""The user's mistake, with a suggestion.

Every other exception is a bug of ours, and ends in a traceback.
"""

import errno
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the spawner imports this file, and stays small
    from pathlib import Path, PurePath


class ArenaError(Exception):
    """A mistake of the user: one line that names the file or the key and says what to do next."""

    def seen_from(self, *folders: "PurePath") -> str:
        """Return the sentence for whoever knows the files in these folders by their paths there."""
        del folders
        return str(self)


class FilesError(ArenaError):
    """A mistake whose sentence names files: its parts are texts, and the paths between them."""

    def __init__(self, *parts: "str | PurePath") -> None:
        super().__init__(*parts)
        self._parts = parts

    def __str__(self) -> str:
        return self._sentence(shown)

    def seen_from(self, *folders: "PurePath") -> str:
        """Return the sentence with the paths in these folders as they are there."""
        return self._sentence(lambda path: _path_in(path, folders))

    def _sentence(self, path_text: "Callable[[PurePath], str]") -> str:
        texts = []
        for part in self._parts:
            if isinstance(part, str):
                texts.append(part)
            else:
                texts.append(path_text(part))
        return "".join(texts)


class FileError(ArenaError):
    """A mistake in a file or a folder, whose path stands before the words."""

    def __init__(
        self,
        path: "PurePath",
        message: str,
        hint: str = "",
    ) -> None:
        super().__init__(path, message, hint)
        self.path = path
        self.words = message
        self.hint = hint
        """What the owner of the folder may do instead; whoever has sent the file cannot do it."""

    def __str__(self) -> str:
        sentence = f"{shown(self.path)}: {self.words}"
        if self.hint:
            sentence += f"; {self.hint}"
        return sentence

    def seen_from(self, *folders: "PurePath") -> str:
        """Return the sentence for whoever has sent the files: without folders, without hint."""
        return f"{_path_in(self.path, folders)}: {self.words}"


class OptionError(ArenaError):
    """A mistake in an option of the command line, and in no file."""


class PublicError(ArenaError):
    """A mistake whose sentence anybody may read, also on a site.

    It has names of bots, boards and roles, and figures; it quotes nothing that a bot or its files
    said.
    """


PRIVATE = "the reason is for the author of that bot only"
"""What others read in place of words that only the author of a bot may read."""


class BotError(ArenaError):
    """A mistake in a bot.

    The sentence may quote its files, its compiler or its output: it is for the bot's author.
    """

    def __init__(
        self,
        message: str,
        *,
        bot: str = "",
        public: str = "",
    ) -> None:
        # Without defaults it could not be pickled, as it is on its way from a process that builds
        # bots.
        super().__init__(message)
        self.bot = bot
        """Its name; empty if nobody knows whose mistake it is."""
        self.public = public
        """A shorter sentence, for everybody."""


class MachineError(ArenaError):
    """The machine has no more disk space, memory, processes, threads or open files for arena."""


class OutsideError(Exception):
    """Somebody outside of a match could not serve it, such as a provider.

    The match must be played again.
    """


class SpentError(Exception):
    """What the event may use of a service is used up.

    The match stays due, and the run begins no more matches.
    """


class NoUsersError(MachineError):
    """All users that bots become are taken by other runs: this passes."""


def shown(path: object) -> str:
    """Return a path for a message.

    Authors name the files of their bots, and a terminal must not obey such a name.
    """
    text = str(path)
    return text if text.isprintable() else ascii(text)


def _path_in(path: "PurePath", folders: "Iterable[PurePath]") -> str:
    """Return a path for a message, without the first of these folders in which it lies."""
    for folder in folders:
        if path.is_relative_to(folder):
            return shown(path.relative_to(folder))
    return shown(path)


def named(error: BaseException) -> str:
    """Return the kind of an error and its message, as one line."""
    return " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")


def refusal(error: BaseException) -> str | None:
    """Return a message, with advice, if by this error the system refuses something to arena.

    That is something that the system gives out, such as memory. Return None for any other error.
    """
    text = str(error)
    if isinstance(error, OSError) and error.errno in {errno.EMFILE, errno.ENFILE}:
        refused = "open files"
        where = "`ulimit -n`"
    elif _refuses_memory(error, text):
        refused = "processes, threads or memory"
        where = (
            "`ulimit -u`, `-v` and `-d` and at the limits of its container (pids.max, memory.max)"
        )
    else:
        return None
    reason = text or type(error).__name__
    return (
        f"the system gives arena no more {refused} ({reason}); look at {where}, "
        "or use fewer workers"
    )


def _refuses_memory(error: BaseException, text: str) -> bool:
    """Return whether by this error the system refuses memory, a process or a thread."""
    if isinstance(error, OSError):
        return error.errno in {errno.EAGAIN, errno.ENOMEM}
    if isinstance(error, RuntimeError):
        return "can't start new thread" in text
    if isinstance(error, ImportError):
        return "failed to map" in text or "cannot allocate" in text.lower()
    return isinstance(error, MemoryError)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 turn`, `2 turns`, `2 matches`."""
    if number == 1:
        return f"1 {noun}"
    ending = "es" if noun.endswith("ch") else "s"
    return f"{number} {noun}{ending}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `did you mean 'X'?` with the known name that is most like the word.

    The text is empty when no name is like it.
    """
    from difflib import get_close_matches  # slow to import, and only a mistake needs it

    near = get_close_matches(word, list(known), n=1)
    if not near:
        return ""
    return f"did you mean {near[0]!r}?"


def known_are(
    word: str,
    known: Iterable[str],
    *,
    nearest: Iterable[str] = (),
) -> str:
    """Return the end of a sentence: a suggestion for a word, if there is any, and all known names.

    `nearest` are other words that may be suggested.
    """
    names = list(known)
    listed = ", ".join(names) or "none"
    candidates = list(names)
    candidates.extend(nearest)
    suggestion = did_you_mean(word, candidates)
    if suggestion:
        return f"{suggestion} Known: {listed}"
    return f"known: {listed}"


@contextmanager
def writing(target: "Path") -> Iterator[None]:
    """Turn the failure to write a file into an ArenaError that names the file and the reason.

    Where the error has no file, it names `target`.

    An error by which the system refuses memory, a process or a thread passes: `arena.cli.main` has
    the advice about it.
    """
    try:
        yield
    except OSError as error:
        if refusal(error) is not None:
            raise
        raise ArenaError(
            f"{error.filename or target}: cannot be written: {error.strerror or error}"
        ) from error
