"""tournament.toml -> Tournament -> Event: every key with its default, every mistake in a line.

It owns what the file may say. What the boards and the bots are is asked of rulebook.py and roster.py.
"""

import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from arena import roster, rulebook, schedules
from arena.clock import TimeControl
from arena.errors import ArenaError
from arena.event import Board, Event
from arena.match import Bot, Conditions, Limits

Named = TypeVar("Named")


def _seconds(value: object) -> object:
    """`"none"` is no limit; whole numbers of seconds are numbers too."""
    if value == "none":
        return None
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _bytes(value: object) -> object:
    if value == "none":
        return None
    return roster.bytes_of(value) if isinstance(value, str) else value


Seconds = Annotated[float, BeforeValidator(_seconds)]
Limited = Annotated[float | None, BeforeValidator(_seconds)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Time(_Table):
    """[time]: seconds; `"none"` = no limit."""

    start: Limited = Field(default=5.0, gt=0, description="Seconds from `ready?` to `ready`.")
    move: Limited = Field(default=1.0, gt=0, description="Seconds for each answer, before the bank is touched.")
    bank: Seconds = Field(
        default=0.0, ge=0, description="Seconds a match for what answers take beyond `move`, added up."
    )
    margin: Seconds = Field(default=0.05, ge=0, description="Seconds forgiven on each answer; never told to the bot.")


class Restrictions(_Table):
    """[limits]: what one bot process may use; `"none"` = no limit."""

    memory: Annotated[int | None, BeforeValidator(_bytes)] = Field(
        default=256_000_000, gt=0, description='Bytes of memory, or a text such as "256 MB".'
    )
    cpu: Limited = Field(default=60.0, gt=0, description="Seconds of CPU a match.")
    processes: int = Field(default=1, ge=1, description="Processes at once; threads are free.")


class Faults(_Table):
    """[faults]: what is forgiven."""

    strikes: int = Field(default=0, ge=0, description="Illegal or garbled answers forgiven a match and seat.")


class Staff(_Table):
    """[workers]: how many matches are played at once."""

    count: int | Literal["auto"] = Field(default="auto", description='Referee processes; "auto" = one a core.')


class Entry(_Table):
    """[[bot]]: one bot by name."""

    name: str = Field(description="Up to 40 letters, digits and . _ -")
    path: str | None = Field(
        default=None, description="A file, or a folder with a bot.toml; relative to tournament.toml."
    )
    command: str | tuple[str, ...] | None = Field(
        default=None, description="Instead of a path: the words that start it."
    )


Names = Annotated[tuple[str, ...], BeforeValidator(lambda value: tuple(value) if isinstance(value, list) else value)]


class Tournament(_Table):
    """What a tournament.toml says."""

    name: str = Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$", description="The results go to results/NAME.")
    seed: int = Field(default=0, ge=0, description="Fixes every draw of the referee.")
    boards: Names = Field(description="What is played: `game/board`, a board's name, or a game for all of its boards.")
    schedule: str = Field(default="round_robin", description="Who meets whom.")
    repeats: int = Field(default=1, ge=1, description="How often each seating is played, each time with another seed.")
    seating: Literal["sides", "distinct"] = Field(
        default="sides",
        description="`sides`: one bot takes all roles of a side; `distinct`: every role has its own bot.",
    )
    bots: str | None = Field(default=None, description="A folder of bots, relative to tournament.toml.")
    bot: Annotated[tuple[Entry, ...], BeforeValidator(lambda v: tuple(v) if isinstance(v, list) else v)] = Field(
        default=(), description="Bots by name, beside those of the folder."
    )
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
        )
        if not schedules.find(self.schedule).plan(event):
            raise ArenaError("bots: no board can be seated with these bots: look at their `games` and `roles`")
        return event

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

    def conditions(self) -> Conditions:
        """What every match is played under."""
        return Conditions(
            time=TimeControl(**self.time.model_dump()),
            limits=Limits(**self.limits.model_dump()),
            strikes=self.faults.strikes,
        )

    def _bots(self, workspace: Path, wanted: tuple[str, ...]) -> tuple[Bot, ...]:
        every = self.entrants(workspace)
        if wanted:
            every = tuple(_picked("bot", name, {bot.name: bot for bot in every}) for name in dict.fromkeys(wanted))
            every = tuple(sorted(every, key=lambda bot: bot.name))
        if len(every) < 2:
            where = f"the folder {self.bots!r}" if self.bots is not None else "the [[bot]] tables"
            raise ArenaError(f"bots: a tournament needs two, and {where} has {len(every) or 'none'}: add some there")
        return every


def load(path: Path, overrides: Mapping[str, object] | None = None) -> Tournament:
    """Read a tournament.toml; `overrides` replace keys by their dotted names, such as `time.move`.

    ArenaError with a line for each mistake, naming the file and the key.
    """
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise ArenaError(f"{path}: there is no such file; `arena init DIR` makes a workspace with one") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ArenaError(f"{path}: cannot be read: {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise ArenaError(f"{path}: {error}") from error
    for key, value in (overrides or {}).items():
        _override(table, key, value)
    try:
        return Tournament.model_validate(table)
    except ValidationError as error:
        raise ArenaError("\n".join(_sentence(path, dict(one)) for one in error.errors())) from error


def schema() -> dict[str, Any]:
    """The JSON Schema of a tournament.toml, for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Tournament.model_json_schema(mode="validation"),
    }


def _entered(entry: Entry, workspace: Path) -> Bot:
    """The bot of a [[bot]] table."""
    if (entry.path is None) == (entry.command is None):
        raise ArenaError(f"bot {entry.name}: give it either a path or a command")
    if entry.path is not None:
        return roster.from_path(workspace / entry.path, entry.name)
    return roster.from_command(entry.name, entry.command or (), workspace)


def _narrowed(words: str, boards: tuple[Board, ...]) -> tuple[Board, ...]:
    found = tuple(board for board in boards if words in {board.label, board.name, board.game})
    return found or (_picked("board", words, {board.label: board for board in boards}),)


def _picked(kind: str, name: str, known: Mapping[str, Named]) -> Named:
    if name in known:
        return known[name]
    near = get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ArenaError(f"there is no {kind} {name!r} in this event{hint} Known: {', '.join(known)}")


def _override(table: dict[str, Any], key: str, value: object) -> None:
    *path, last = key.split(".")
    for word in path:
        table = table.setdefault(word, {})
        if not isinstance(table, dict):
            raise ArenaError(f"--set {key}: {word!r} is not a table")
    table[last] = value


def _sentence(path: Path, error: dict[str, Any]) -> str:
    """One line for one mistake."""
    place = [
        part
        for part in error["loc"]
        if part not in {"str", "int", "float"} and not str(part).startswith(("tuple[", "literal["))
    ]
    key = ".".join(str(part) for part in place)
    if error["type"] == "extra_forbidden":
        known = _keys(place[:-1])
        near = get_close_matches(str(place[-1]), known, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
        return f"{path}: {key}: unknown key; {hint}"
    if error["type"] == "missing":
        return f"{path}: {key}: this key is missing"
    return f"{path}: {key}: {error['msg'].removeprefix('Value error, ')}, not {error['input']!r}"


def _keys(place: list[Any]) -> list[str]:
    """The keys of the table at a place."""
    tables: dict[str, type[BaseModel]] = {"time": Time, "limits": Restrictions, "faults": Faults, "workers": Staff}
    tables["bot"] = Entry
    return list((tables[place[0]] if place else Tournament).model_fields)
