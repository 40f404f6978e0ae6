"""Take a bot in: copy it, name it, examine it, keep it as a version; or refuse it with a reason.

It owns the order of things and the words. What a submission is made of, taking.py judges; where bots stand, shelf.py
knows; whether one plays well enough, whoever calls says.
"""

import hashlib
import os
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from arena import roster
from arena.errors import ArenaError
from arena.match import Bot
from arena.roster.files import LEFT_OUT
from arena.submissions.shelf import Shelf, Version, copied
from arena.submissions.taking import take
from arena.submissions.unpacking import ENDINGS, unpack

__all__ = ["Answer", "Desk", "Result", "Shelf", "class_of"]


class Result(StrEnum):
    """What became of a submission."""

    ACCEPTED = "accepted"
    """It plays from now on."""
    KNOWN = "known"
    """It plays already: nothing has changed."""
    REFUSED = "refused"
    """It is kept apart, with the reason."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What is said to whoever submitted a bot."""

    path: Path
    """What was submitted."""
    name: str
    result: Result
    words: str
    """Why, in a line; anybody's words may be in it."""
    reasons: str = ""
    """Of a refused one: everything that was found."""
    bot: Bot | None = None
    version: int | None = None
    where: Path | None = None
    """Where the reasons stand."""


Examine = Callable[[Bot], tuple[str, ...]]
"""What speaks against a bot, a paragraph each; nothing = it is fit to play. ArenaError = it cannot even be tried."""


class Desk:
    """Where bots are submitted to one workspace."""

    def __init__(self, shelf: Shelf, examine: Examine, taken: Collection[str] = ()) -> None:
        """`taken` are names that no submission may have."""
        self._shelf, self._examine, self._taken = shelf, examine, taken

    def submit(self, path: Path, name: str | None = None, *, rivals: Collection[Path] = ()) -> Answer:
        """Take a bot in, or refuse it; `rivals` were submitted with it under the same name."""
        wanted = name or name_of(path)
        with self._shelf.changing():
            made: list[Path] = []
            try:
                self._name(path, wanted, rivals)
                return self._judge(path, wanted, made)
            except ArenaError as error:
                reasons = _harmless(str(error).replace(f"{self._shelf.incoming}/", ""))
                label = _label(path.name if rivals else wanted)
                where = self._shelf.quarantine(label, reasons, made[0] if made else None)
                words = " ".join(reasons.split("\n\n", 1)[0].split())
                return Answer(path=path, name=wanted, result=Result.REFUSED, words=words, reasons=reasons, where=where)

    def withdraw(self, name: str) -> Version:
        """Take a bot out of the event; the version that it was, which is kept."""
        with self._shelf.changing():
            entries = self._shelf.playing(name)
            bots = [roster.from_path(entry, name) for entry in entries]
            kept = [self._kept(bot) or self._keep(bot, entry) for bot, entry in zip(bots, entries, strict=True)]
            self._shelf.withdraw(name)
            return kept[-1]

    def _name(self, path: Path, name: str, rivals: Collection[Path]) -> None:
        roster.checked(name, path.name)
        if rivals:
            both = " and ".join(sorted(one.name for one in (path, *rivals)))
            raise ArenaError(f"{both} have one name, and case makes no difference: rename one")
        if name.lower() in {one.lower() for one in self._taken}:
            raise ArenaError(f"{name!r} is a [[bot]] of tournament.toml: submit it under another name, --as NAME")
        for known in self._shelf.names():
            if known.lower() == name.lower() and known != name:
                raise ArenaError(
                    f"{known!r} is a bot here, and case makes no difference: say --as {known}, or rename it"
                )

    def _judge(self, path: Path, name: str, made: list[Path]) -> Answer:
        made.append(_taken_in(path, name, self._shelf.incoming))
        bot = roster.from_path(made[0], name)
        playing = [roster.from_path(one, name) for one in self._shelf.playing(name)]
        own = os.path.realpath(path) in {os.path.realpath(one.files or "") for one in playing}
        for old in () if own else playing:
            if self._kept(old) is None and old.digest != bot.digest:
                raise ArenaError(
                    f"{old.files}: is no version that was submitted, and would be lost: submit that first, "
                    "or take another name, --as NAME"
                )
        version = self._kept(bot)
        plays = [one.digest for one in playing] == [bot.digest]
        if version is not None and plays:
            words = f"it is version {version.number}, which plays: nothing has changed"
            return _answer(path, bot, Result.KNOWN, version, words)
        words = f"it was version {version.number}, and plays again" if version is not None else ""
        if version is None:
            against = self._examine(bot)
            if against:
                raise ArenaError("\n\n".join(against))
            version = self._shelf.keep(bot, made[0])
        if not plays:
            self._shelf.play(name, version)
        self._shelf.forgive(name)
        return _answer(path, bot, Result.ACCEPTED, version, words or f"it is version {version.number}")

    def _kept(self, bot: Bot) -> Version | None:
        return next((one for one in self._shelf.versions(bot.name) if one.digest == bot.digest), None)

    def _keep(self, bot: Bot, entry: Path) -> Version:
        """What was put there by hand, before it goes."""
        made = self._shelf.incoming / entry.name
        copied(entry, made)
        return self._shelf.keep(bot, made)


def class_of(folder: Path) -> Iterator[tuple[Path, tuple[Path, ...]]]:
    """Every submission in a class's folder, in order of name, each with those of the same name."""
    entries = [
        path
        for path in sorted(folder.iterdir())
        if not path.name.startswith((".", "_")) and path.name not in {roster.README, *LEFT_OUT}
    ]
    for path in entries:
        yield path, tuple(one for one in entries if one != path and name_of(one).lower() == name_of(path).lower())


def name_of(path: Path) -> str:
    """What a submission is called when nobody says otherwise: its file without ending."""
    if path.is_dir() and not path.is_symlink():
        return Path(os.path.abspath(path)).name  # noqa: PTH100 (which leaves `..` in)
    ending = next((one for one in ENDINGS if path.name.lower().endswith(one)), path.suffix)
    return path.name[: -len(ending)] if ending else path.name


def _taken_in(path: Path, name: str, incoming: Path) -> Path:
    """The submission, copied and unpacked, under its new name."""
    packed = next((one for one in ENDINGS if path.name.lower().endswith(one)), None)
    source = incoming / f".copied{packed or path.suffix}"
    take(path, source)
    if packed is not None and source.is_file():
        unpack(source, incoming / ".unpacked")
        source = incoming / ".unpacked"
    source = _bot_in(source)
    return source.rename(incoming / f"{name}{source.suffix if source.is_file() else ''}")


def _bot_in(folder: Path) -> Path:
    """The bot in what was taken in: a folder that holds nothing but one thing stands for that thing."""
    while folder.is_dir() and not (folder / "bot.toml").exists() and len(inside := list(folder.iterdir())) == 1:
        if inside[0].is_symlink():
            break
        (folder,) = inside
    return folder


def _harmless(text: str) -> str:
    """Words that a terminal may show, whoever wrote them."""
    return "\n".join(line if line.isprintable() else ascii(line)[1:-1] for line in text.split("\n"))


def _label(name: str) -> str:
    """A name for the folder of a refused submission, whatever it is called."""
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", name).lstrip(".-")[:40]
    mark = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:6]
    return name if plain == name and name else f"{plain or 'bot'}-{mark}"


def _answer(path: Path, bot: Bot, result: Result, version: Version, words: str) -> Answer:
    return Answer(path=path, name=bot.name, result=result, words=words, bot=bot, version=version.number)
