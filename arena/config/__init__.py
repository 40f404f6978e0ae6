"""tournament.toml -> Tournament -> Event: every key with its default, every mistake in a line.

It owns what the file may say. What the boards and the bots are is asked of rulebook.py and roster/.
"""

import tomllib
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from arena import ratings, roster, rulebook, schedules, tiebreaks
from arena.clock import TimeControl
from arena.config.keys import Entry, Faults, Names, Restrictions, Staff, Table, Time, Word, listed
from arena.config.mistakes import sentences
from arena.errors import ArenaError, known_are
from arena.event import Board, Event
from arena.match import Bot, Conditions, Limits
from arena.sandbox import levels

Named = TypeVar("Named")


class Tournament(Table):
    """What a tournament.toml says."""

    name: Word = Field(max_length=64, description="The results go to results/NAME.")
    seed: int = Field(default=0, ge=0, description="Fixes every draw of the referee.")
    boards: Names = Field(description="What is played: `game/board`, a board's name, or a game for all of its boards.")
    schedule: str = Field(default="round_robin", description="Who meets whom.")
    repeats: int = Field(default=1, ge=1, description="How often each seating is played, each time with another seed.")
    seating: Literal["sides", "distinct"] = Field(
        default="sides",
        description="`sides`: one bot takes all roles of a side; `distinct`: every role has its own bot.",
    )
    rating: str = Field(default="bradley_terry", description="What decides the rank: bradley_terry, elo or points.")
    tie_breaks: Names = Field(
        default=(), description="What places bots of equal rating and points: FIDE's tie-breaks, in this order."
    )
    bots: str | None = Field(default=None, description="A folder of bots, relative to tournament.toml.")
    bot: Annotated[tuple[Entry, ...], BeforeValidator(listed)] = Field(
        default=(), description="Bots by name, beside those of the folder."
    )
    sandbox: Literal["auto", "landlock", "bubblewrap", "rlimits", "none"] = Field(
        default="auto",
        description="How bots are confined; `auto`: the first of landlock and bubblewrap that works here.",
    )
    unsafe: bool = Field(default=False, description="Allow the levels rlimits and none, which do not confine bots.")
    freeze: bool = Field(default=True, description="Stop a bot while it is not asked.")
    keep: bool = Field(
        default=False,
        description="Let bots that say `ready again` stay for their next match; loses the promise of equal tables.",
    )
    warm: bool = Field(default=True, description="Start Python bots by forking an interpreter that already runs.")
    preload: Names = Field(default=(), description="Modules of arena's own environment that such bots find imported.")
    time: Time = Field(default=Time(), description="Seconds.")
    limits: Restrictions = Field(default=Restrictions(), description="What one bot process may use.")
    faults: Faults = Field(default=Faults(), description="What is forgiven.")
    workers: Staff = Field(default=Staff(), description="How many matches are played at once.")

    def event(self, workspace: Path, *, bots: Iterable[str] = (), boards: Iterable[str] = ()) -> Event:
        """The event that this asks for, narrowed to some bots and boards when any are named."""
        every = self._boards(workspace)
        chosen = tuple(board for words in boards for board in _narrowed(words, every))
        event = Event(
            name=self.name,
            seed=self.seed,
            boards=tuple(dict.fromkeys(chosen)) or every,
            bots=self._bots(workspace, tuple(bots)),
            schedule=self.schedule,
            repeats=self.repeats,
            seating=self.seating,
            conditions=self.conditions(),
            rating=ratings.known(self.rating),
            tie_breaks=self._tie_breaks(),
        )
        if not schedules.find(self.schedule).plan(event):
            each = "; with seating = 'distinct' every role wants a bot of its own" if self.seating == "distinct" else ""
            raise ArenaError(f"bots: no board can be seated with these: look at their `games` and `roles`{each}")
        return event

    def _tie_breaks(self) -> tuple[str, ...]:
        for place, name in enumerate(self.tie_breaks):
            tiebreaks.find(name)
            if name in self.tie_breaks[:place]:
                raise ArenaError(f"tie_breaks: {name!r} stands there twice; once is enough")
        return self.tie_breaks

    def _boards(self, workspace: Path) -> tuple[Board, ...]:
        if not self.boards:
            raise ArenaError("boards: none are named; `arena games` lists them")
        try:
            found = [board for words in self.boards for board in rulebook.find(words, workspace)]
        except ArenaError as error:
            raise ArenaError(f"boards: {error}") from error
        return tuple(dict.fromkeys(found))

    def entrants(self, workspace: Path) -> tuple[Bot, ...]:
        """Every bot of the folder and of the [[bot]] tables, in order of name."""
        folder = roster.gather(workspace / self.bots) if self.bots is not None else ()
        return roster.unique([*folder, *(_entered(entry, workspace) for entry in self.bot)])

    def _check_clock(self) -> None:
        if self.time.clock == "cpu" and self.limits.processes != 1:
            raise ArenaError(
                'time.clock: "cpu" counts the CPU time of one process: set limits.processes = 1, or "wall"'
            )

    def _check_preload(self) -> None:
        for name in self.preload:
            if not all(part.isidentifier() for part in name.split(".")) or find_spec(name.split(".")[0]) is None:
                raise ArenaError(
                    f"preload: arena's environment has no module {name!r}; install it there, or leave it out"
                )

    def conditions(self) -> Conditions:
        """What every match is played under."""
        self._check_preload()
        self._check_clock()
        return Conditions(
            time=TimeControl(**self.time.model_dump()),
            limits=Limits(**self.limits.model_dump()),
            strikes=self.faults.strikes,
            sandbox=levels.choose(self.sandbox, unsafe=self.unsafe),
            freeze=self.freeze,
            warm=self.warm,
            keep=self.keep,
            preload=self.preload,
        )

    def _bots(self, workspace: Path, wanted: tuple[str, ...]) -> tuple[Bot, ...]:
        every = self.entrants(workspace)
        if wanted:
            every = tuple(_picked("bot", name, {bot.name: bot for bot in every}) for name in dict.fromkeys(wanted))
            every = tuple(sorted(every, key=lambda bot: bot.name))
        if len(every) < 2:
            found = f"only {every[0].name!r}" if every else "none"
            raise ArenaError(f"bots: a tournament needs two, and there is {found} {self._where(chosen=bool(wanted))}")
        return every

    def _where(self, *, chosen: bool) -> str:
        """Where bots were looked for, and what to do for more."""
        if chosen:
            return "among those chosen: choose more"
        if self.bots is not None:
            return f"in the folder {self.bots!r}: add one there"
        return 'in the [[bot]] tables: add one, or name a folder with bots = "bots"'


TABLES: Mapping[str, type[BaseModel]] = {
    "": Tournament,
    "time": Time,
    "limits": Restrictions,
    "faults": Faults,
    "workers": Staff,
    "bot": Entry,
}
"""Every table of the file by its name."""


def load(path: Path, overrides: Mapping[str, object] | None = None) -> Tournament:
    """Read a tournament.toml; `overrides` replace keys by their dotted names, such as `time.move`.

    ArenaError with a line for each mistake, naming the file and the key.
    """
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise ArenaError(f"{path}: there is no such file; `arena init DIR` makes a workspace with one") from error
    except OSError as error:
        raise ArenaError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ArenaError(f"{path}: this is not UTF-8 text (byte {error.start + 1}); save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise ArenaError(f"{path}: {error}") from error
    for key, value in (overrides or {}).items():
        _override(table, key, value)
    try:
        return Tournament.model_validate(table)
    except ValidationError as error:
        raise ArenaError("\n".join(f"{path}: {line}" for line in sentences(error, TABLES))) from error


def schema() -> dict[str, Any]:
    """The JSON Schema of a tournament.toml, for editors; `python -m arena.config` prints it."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_plain(Tournament.model_json_schema())}


def _plain(schema: Any) -> Any:
    """A schema without pydantic's titles, and without null, which TOML does not have."""
    if isinstance(schema, list):
        return [_plain(item) for item in schema if item != {"type": "null"}]
    if not isinstance(schema, dict):
        return schema
    kept = {key: _plain(value) for key, value in schema.items() if key != "title" and value is not None}
    if len(kept.get("anyOf", ())) == 1:
        kept |= kept.pop("anyOf")[0]
    return kept


def _entered(entry: Entry, workspace: Path) -> Bot:
    """The bot of a [[bot]] table."""
    if (entry.path is None) == (entry.command is None):
        raise ArenaError(f"bot {entry.name!r}: give it either a `path` or a `command`")
    if entry.path is None:
        return roster.from_command(entry.name, entry.command or (), workspace)
    try:
        return roster.from_path(workspace / entry.path, entry.name)
    except ArenaError as error:
        raise ArenaError(f"bot {entry.name!r}: path: {error}") from error


def _narrowed(words: str, boards: tuple[Board, ...]) -> tuple[Board, ...]:
    found = tuple(board for board in boards if words in {board.label, board.name, board.game})
    return found or (_picked("board", words, {board.label: board for board in boards}),)


def _picked(kind: str, name: str, known: Mapping[str, Named]) -> Named:
    if name in known:
        return known[name]
    raise ArenaError(f"there is no {kind} {name!r} in this event; {known_are(name, known)}")


def _override(table: dict[str, Any], key: str, value: object) -> None:
    *path, last = key.split(".")
    for word in path:
        table = table.setdefault(word, {})
        if not isinstance(table, dict):
            raise ArenaError(f"--set {key}: {word!r} is not a table")
    table[last] = value
