"""tournament.toml -> Tournament -> Event: every key with its default, every mistake in a line.

This module knows the keys of the file. rulebook.py finds its boards, and discovery/ its bots.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from arena import file_formats, shared_folders, toml
from arena.clock import TimeControl
from arena.errors import (
    ArenaError,
    FileError,
    FilesError,
    OptionError,
    counted,
    did_you_mean,
    known_are,
)
from arena.event import discovery, schedules
from arena.event.config import extended
from arena.event.config.keys import (
    BotTable,
    Duration,
    Faults,
    LimitsTable,
    NameOrRating,
    NotifyTable,
    OpeningsTable,
    RatingTable,
    Seed,
    Time,
    Word,
    WorkersTable,
    rating_table,
)
from arena.event.discovery import bridged
from arena.event.schedules.round_robin import groups_of
from arena.event.tables import ExtensionTable, Names, Table, as_tuple
from arena.event.tables.mistakes import wrong_keys
from arena.games import openings, rulebook
from arena.results import ratings, tiebreaks
from arena.sandbox import call_policy, seccomp, syscalls
from arena.values import (
    DEFAULT_MODEL,
    Board,
    Bot,
    Conditions,
    Event,
    Match,
    Opening,
    OpeningMoves,
    Openings,
)

Named = TypeVar("Named")
MOST_MATCHES = 10_000_000
"""The most matches of an event: the plan keeps the id of each in eight bytes."""
LARGEST_NUMBER = 2**63 - 1
"""The whole numbers of TOML have 64 bits; Python would read longer numbers."""


class Tournament(Table):
    """The content of a tournament.toml."""

    name: Word = Field(max_length=64, description="The results go to results/NAME.")
    seed: Seed = Field(
        0,
        description="Fixes all chance: 32 hex digits, which nobody can guess, "
        "or a number, which a bot can guess.",
    )
    boards: Names = Field(
        description="The boards to play: `game/board`, a board's name, "
        "or a game for all of its boards; "
        "`game/board:20` = 20 boards that are sampled from the seed, "
        "where the board's table has a generator."
    )
    schedule: str = Field("round_robin", description="The rule by which bots are paired.")
    repeats: int = Field(
        1, ge=1, description="How often each seating is played, each time with another seed."
    )
    seating: Literal["sides", "distinct"] = Field(
        "sides",
        description="`sides`: one bot takes all roles of a side; "
        "`distinct`: every role has its own bot.",
    )
    rounds: int | None = Field(
        None,
        ge=1,
        description="Round robin and Swiss: the number of rounds; in each, each bot meets one "
        "other, no pair twice. Ladder: the number of batches. "
        "Left out: all meet all; log2 of the bots; as many pairings as a round robin.",
    )
    references: Names = Field(
        (), description="Gauntlet: the bots that all others play against, and not each other."
    )
    max_matches: int | None = Field(
        None, ge=1, description="The number of matches after which the event ends."
    )
    stop_after: Duration = Field(
        None, description='Begin no more matches after this time, such as "1h 30m".'
    )
    stop_when: Literal["order is certain", "best is certain"] | None = Field(
        None,
        description="End the event at the first look at which this holds "
        "with the chance `confidence`.",
    )
    confidence: float = Field(
        0.95,
        ge=0.5,
        le=0.9999,
        description="The chance that `stop_when` is right.",
    )
    rating: NameOrRating = Field(
        RatingTable(),
        description="The rating that decides the rank: bradley_terry, elo, points or alpha_rank; "
        "or a table with its `name` and its `prior`.",
    )
    tie_breaks: Names = Field(
        (), description="FIDE's tie-breaks for bots of equal rating and points, in this order."
    )
    seed_order: Names = Field(
        (),
        description="Bots that are seeded in Swiss, knockout and ladder, best first; "
        "the others follow by lot.",
    )
    bots: str | None = Field(None, description="A folder of bots, relative to tournament.toml.")
    bot: Annotated[tuple[BotTable, ...], BeforeValidator(as_tuple)] = Field(
        (), description="Bots by name, beside those of the folder."
    )
    sandbox: Literal["auto", "landlock", "bubblewrap", "rlimits", "none"] = Field(
        "auto",
        description="The way bots are confined; "
        "`auto`: the first of landlock and bubblewrap that works here.",
    )
    unsafe: bool = Field(
        False, description="Allow the levels rlimits and none, which do not confine bots."
    )
    syscalls: Names = Field(
        (),
        description="System calls that bots may make beside those of docs/attacks-machine.md, "
        "for an exotic runtime.",
    )
    freeze: bool = Field(True, description="Stop a bot while others think.")
    keep: bool = Field(
        False,
        description="Let bots that say `ready again` stay for their next match; "
        "loses the promise of equal tables.",
    )
    warm: bool = Field(
        True, description="Start Python bots by forking an interpreter that already runs."
    )
    preload: Names = Field(
        (), description="Modules of arena's own environment that such bots find imported."
    )
    time: Time = Field(Time(), description="Seconds.")
    limits: LimitsTable = Field(LimitsTable(), description="Limits of one bot process.")
    faults: Faults = Field(Faults(), description="Faults that are forgiven.")
    openings: OpeningsTable = Field(
        OpeningsTable(), description="The first turns of each match, which no bot chooses."
    )
    workers: WorkersTable = Field(
        WorkersTable(), description="The processes that play the matches."
    )
    notify: NotifyTable | None = Field(
        None, description="A webhook that gets a message when a run ends."
    )
    format: int = Field(
        file_formats.TOURNAMENT.number,
        description="The format of this file: later versions of arena read it, too.",
    )

    def table(self, name: str) -> Table | None:
        """Return a table by name, for an extension.

        A table that the file leaves out has its defaults, or is None if a key has no default.
        """
        table: Table | None = getattr(self, name)
        return table

    @property
    def added(self) -> Mapping[str, ExtensionTable]:
        """The tables of extensions that this file has, or that have defaults."""
        tables: dict[str, ExtensionTable] = {}
        for name in extended.tables():
            table = self.table(name)
            if isinstance(table, ExtensionTable):
                tables[name] = table
        return tables

    def event(
        self,
        workspace: Path,
        *,
        bots: Iterable[str] = (),
        boards: Iterable[str] = (),
        entrants: tuple[Bot, ...] | None = None,
        sampled_boards: Path | None = None,
    ) -> Event:
        """Return the event that this file describes.

        If bots or boards are named, it has only these. `entrants` are its bots if the caller has
        read them already, which takes half a second for a thousand, or other bots that play
        instead. Boards in the folder `sampled_boards` are not sampled again.
        """
        every_board = self._boards(workspace, sampled_boards)
        played = _boards_named(boards, every_board) or every_board
        named = tuple(bots)
        if entrants is None:
            entrants = self.entrants(workspace)
        else:
            entrants = discovery.unique(entrants)
        entrants = tuple(map(self.as_entered, entrants))
        if self._with_added(Conditions()).remote is None:
            entrants = tuple(bot for bot in entrants if not bot.remote)

        # A mistake in a table of an extension is found now, and not when all matches are played.
        for table in self.added.values():
            table.check(every_board, entrants)
        entered = self._bots(entrants, named)
        if not named:  # a bot that plays none of the boards would be an empty row of every table
            players = tuple(bot for bot in entered if _plays_any(bot, played))
            entered = players or entered

        names = [bot.name for bot in entered]
        self._refuse_wrong_orders(names, all_play=not named)
        seed_order = [name for name in self.seed_order if name in names]
        event = Event(
            name=self.name,
            seed=self.seed,
            boards=played,
            bots=entered,
            schedule=schedules.known(self.schedule),
            repeats=self.repeats,
            seating=self.seating,
            rounds=self.rounds,
            references=self._references(entered, played),
            seed_order=tuple(seed_order),
            max_matches=self.max_matches,
            stop_after=self.stop_after,
            stop_when=self.stop_when,
            confidence=self.confidence,
            conditions=self.conditions(),
            openings=self._openings(workspace, played),
            rating=self._rating(),
            prior=self.rating.prior,
            tie_breaks=self.tie_breaks,
        )
        planned = schedules.total(event)
        if planned > MOST_MATCHES:
            raise ArenaError(
                f"repeats: {planned} matches would be played, "
                f"and an event has at most {MOST_MATCHES}"
            )
        if not planned:
            raise ArenaError(f"bots: {_unseatable(event)}")
        return event

    def _refuse_wrong_orders(self, names: Sequence[str], *, all_play: bool) -> None:
        """Raise ArenaError for a seed or a tie-break that does not exist, or is there twice.

        `names` are the bots that play. Unless `all_play`, a seed that does not play is no mistake.
        """
        for name in self.seed_order:
            if all_play and name not in names:
                known = known_are(name, names)
                raise ArenaError(f"seed_order: no bot {name!r} plays; {known}")
        for name in self.tie_breaks:
            tiebreaks.find(name)
        _refuse_twins("seed_order", self.seed_order)
        _refuse_twins("tie_breaks", self.tie_breaks)

    def _rating(self) -> str:
        """Return the name of the rating."""
        name = ratings.known(self.rating.name)
        if self.rating.prior == "none" and name not in ratings.WITH_PRIOR:
            with_prior = " and ".join(ratings.WITH_PRIOR)
            raise ArenaError(
                f"rating: prior: {name!r} has none; only {with_prior} have one: leave out `prior`"
            )
        return name

    def entrants(self, workspace: Path) -> tuple[Bot, ...]:
        """Return every bot of the folder and of the [[bot]] tables, in order of name."""
        bots: list[Bot] = []
        if self.bots is not None:
            bots += discovery.gather(workspace / self.bots)
        tables = Counter(entry.name for entry in self.bot if not entry.adds_bot)
        for name, count in tables.items():
            if count > 1 or name in self.table_bots:
                raise ArenaError(
                    f"bot {name!r}: has two [[bot]] tables: write all its keys into one of them"
                )
        models = [terms.alias for terms in self._with_added(Conditions()).all_models]
        for entry in self.bot:
            if entry.model is not None and entry.model not in models:
                raise ArenaError(
                    f"bot {entry.name!r}: model: there is no [models.{entry.model}]; "
                    f"{known_are(entry.model, models)}"
                )
            if entry.path is not None and entry.command is not None:
                raise ArenaError(f"bot {entry.name!r}: give it either a `path` or a `command`")
            if entry.command is None and (entry.bridge is not None or entry.options):
                raise ArenaError(
                    f"bot {entry.name!r}: bridge: only for a bot with a `command`; "
                    "write it into the bot.toml of the "
                    "bot's folder"
                )
            if not entry.adds_bot:
                if self.bots is None or (entry.processes is None and entry.model is None):
                    raise ArenaError(
                        f"bot {entry.name!r}: give it either a `path` or a `command`; "
                        "only for a bot in the folder `bots` a table may have `processes` or "
                        "`model` alone"
                    )
                continue
            if entry.path is None:
                command = entry.command or ()
                bridge = entry.bridge or ""
                bots.append(
                    discovery.from_command(entry.name, command, workspace, bridge, entry.options)
                )
                continue
            try:
                bots.append(discovery.from_path(workspace / entry.path, entry.name))
            except ArenaError as error:
                raise ArenaError(f"bot {entry.name!r}: path: {error}") from error
        return discovery.unique(bots)

    def as_entered(self, bot: Bot) -> Bot:
        """Return a bot with the threads and the processes that this file allows it, and its model.

        The file knows bots by name; `ada@2` is a version of `ada`, and gets what `ada` gets. A
        stranger's bot.toml must not decide these two: threads decide how many lanes there are. It
        may only name a bridge that the organiser has installed, whose engine is one process more.
        """
        name = bot.name.partition("@")[0]
        threads = bot.threads
        if self.limits.threads is not None:
            threads = min(threads, self.limits.threads)
        processes = None
        for entry in self.bot:
            if entry.name == name:
                processes = entry.processes
                if entry.model is not None:
                    bot = replace(bot, model=True, model_alias=entry.model)
                break
        bot = self._with_model(bot)
        if processes == self.limits.processes:
            processes = None  # so that the same limit gives the same matches
        more = bridged.more_processes(bot.command)
        if more and self._allows_engines:
            processes = (processes or self.limits.processes) + more
        return replace(bot, threads=threads, processes=processes)

    def _with_model(self, bot: Bot) -> Bot:
        """Return a bot with the alias of the model that it asks.

        The default model has no alias, so that a bot that names it keeps the ids of its matches.
        An event with a single model needs no alias for it.
        """
        if bot.model_alias == DEFAULT_MODEL:
            return replace(bot, model_alias="")
        if bot.model and not bot.model_alias:
            models = self._with_added(Conditions()).all_models
            if len(models) == 1 and models[0].alias != DEFAULT_MODEL:
                return replace(bot, model_alias=models[0].alias)
        return bot

    def left_out(self, bot: Bot) -> str:
        """Return why a bot that needs a language model does not play, or an empty text.

        A stranger may have written its bot.toml, so this is no mistake of the file.
        """
        entered = self.as_entered(bot)
        conditions = self._with_added(Conditions())
        if not entered.model or conditions.model_of(entered) is not None:
            return ""
        if not conditions.has_models:
            return "plays with a language model only: add a table [model]"
        aliases = [terms.alias for terms in conditions.all_models]
        if entered.model_alias:
            known = known_are(entered.model_alias, aliases)
            return f"bot.toml: model: there is no [models.{entered.model_alias}]; {known}"
        example = f'[[bot]] with path = "..." and model = "{aliases[0]}"'
        return f"names none of the models of this event: enter it by {example}"

    @property
    def _allows_engines(self) -> bool:
        """True when a bridge may start an engine; CPU time is charged to bots of one process."""
        return self.limits.bridges and self.time.clock == "wall"

    def unmet_requests(self, bot: Bot) -> Iterator[str]:
        """Yield a sentence for each request in the bot.toml of a bot that is not granted."""
        settings = discovery.settings_of(bot)
        entered = self.as_entered(bot)
        if settings.threads > entered.threads:
            yield (
                f"{bot.name} asks for {settings.threads} threads and gets {entered.threads}: "
                "limits.threads in tournament.toml is the limit"
            )
        limits = settings.limits
        requested = 1
        if limits is not None and "processes" in limits.model_fields_set:
            requested = limits.processes
        granted = entered.processes
        if granted is None:
            granted = self.limits.processes
        if bridged.more_processes(bot.command) and not self._allows_engines:
            yield (
                f"{bot.name} starts an engine behind a bridge, which is a second process, and may "
                'not: `limits.bridges = true` with `time.clock = "wall"` would allow that'
            )
        if requested > granted:
            yield (
                f"{bot.name} asks for {requested} processes and gets {granted}: "
                f"`processes = {requested}` in its [[bot]] table in tournament.toml "
                "would allow that"
            )

    @property
    def table_bots(self) -> tuple[str, ...]:
        """The names of the bots that the [[bot]] tables add to those of the folder."""
        return tuple(entry.name for entry in self.bot if entry.adds_bot)

    @property
    def bots_with_settings(self) -> frozenset[str]:
        """The names of the [[bot]] tables that hold for a bot of the folder."""
        return frozenset(entry.name for entry in self.bot if not entry.adds_bot)

    def conditions(self) -> Conditions:
        """Return the conditions of every match.

        The level of confinement is as the file has it: `sandbox.choice.resolved` chooses the level
        on this machine. ArenaError for values that contradict each other or this machine.
        """
        for name in self.preload:
            _refuse_missing_module(name)
        for name in self.syscalls:
            _refuse_needless_call(name)
        if self.time.clock == "cpu" and self.limits.processes != 1:
            raise ArenaError(
                'time.clock: "cpu" counts the CPU time of one process: '
                'set limits.processes = 1, or "wall"'
            )
        for entry in self.bot:
            if self.time.clock == "cpu" and entry.processes not in {None, 1}:
                raise ArenaError(
                    f"bot {entry.name!r}: processes: "
                    'time.clock = "cpu" counts the CPU time of one process: '
                    'leave this key out, or set clock = "wall"'
                )

        added_syscalls = sorted(set(self.syscalls))
        conditions = Conditions(
            time=TimeControl(**self.time.model_dump()),
            limits=self.limits.limits(defaults=True),
            strikes=self.faults.strikes,
            sandbox=self.sandbox,
            syscalls=tuple(added_syscalls),
            freeze=self.freeze,
            warm=self.warm,
            keep=self.keep,
            preload=self.preload,
        )
        return self._with_added(conditions)

    def _with_added(self, conditions: Conditions) -> Conditions:
        """Return conditions with the changes of the tables of extensions."""
        for table in self.added.values():
            conditions = table.conditions(conditions)
        return conditions

    def _boards(self, workspace: Path, sampled_boards: Path | None) -> tuple[Board, ...]:
        """Return the boards of this file; boards in `sampled_boards` are not sampled again."""
        if not self.boards:
            raise ArenaError("boards: none are named; `arena games` lists them")
        named_boards: list[Board] = []
        try:
            for name in self.boards:
                named_boards += rulebook.find(name, workspace, self.seed, stored=sampled_boards)
            boards = _distinct(named_boards)
            for table in self.added.values():
                boards = _distinct(table.boards(boards))
        except ArenaError as error:
            raise ArenaError(f"boards: {error}") from error

        sampled = Counter(board.label for board in boards if board.sampled)
        for label, count in sampled.items():
            if count > 1:
                raise ArenaError(
                    f"boards: {label} is named {count} times: "
                    "name it once, with the number of all boards"
                )
        return boards

    def _bots(self, bots: tuple[Bot, ...], named: tuple[str, ...]) -> tuple[Bot, ...]:
        """Return the bots that play: the named bots, or all; ArenaError if they are too few.

        Bots that need a language model play only where the event has one.
        """
        if named:
            by_name = {bot.name: bot for bot in bots}
            chosen = {_picked("--bot", "bot", name, by_name) for name in named}
            bots = tuple(sorted(chosen, key=lambda bot: bot.name))

        reasons: dict[str, str] = {}
        """Why a bot does not play, by its name."""
        playing: list[Bot] = []
        for bot in bots:
            reason = ""
            if bot.model:
                reason = self.left_out(bot)
            if reason:
                reasons[bot.name] = reason
            else:
                playing.append(bot)
        bots = tuple(playing)
        if reasons and (named or len(bots) < 2):
            name, reason = next(iter(reasons.items()))
            raise ArenaError(f"bots: {name!r} {reason}")

        if len(bots) < 2:
            if named:
                source = "among those chosen: choose more"
            elif self.bots is not None:
                source = f"in the folder {self.bots!r}: add one there"
            else:
                source = 'in the [[bot]] tables: add one, or name a folder with bots = "bots"'
            number = "none"
            if bots:
                number = f"only {bots[0].name!r}"
            raise ArenaError(f"bots: a tournament needs two, and there is {number} {source}")
        return bots

    def _openings(self, workspace: Path, boards: Iterable[Board]) -> Openings:
        """Return the openings of the event; ArenaError for boards that cannot have them."""
        plies = self.openings.plies
        if self.openings.file:
            if plies:
                raise ArenaError(
                    "openings: `plies` draws openings, and `file` lists them: leave one of them out"
                )
            return _listed_openings(self.openings.file, workspace, boards)
        if plies:
            for board in boards:
                try:
                    for game in rulebook.games_of(board):
                        openings.refuse_rare(game, plies)
                except ArenaError as error:
                    raise ArenaError(f"openings.plies: {board.label}: {error}") from error
        return Openings(plies=plies)

    def _references(self, entered: tuple[Bot, ...], boards: Iterable[Board]) -> tuple[str, ...]:
        """Return the names of the reference bots of a gauntlet; none for other schedules."""
        if self.schedule != "gauntlet":
            if self.references:
                raise ArenaError(
                    'references: only schedule = "gauntlet" has reference bots: leave them out'
                )
            return ()
        by_name = {bot.name: bot for bot in entered}
        for name in self.references:
            _picked("references", "bot", name, by_name)
        names = tuple(dict.fromkeys(self.references))
        if not names:
            raise ArenaError(
                'references: a gauntlet needs bots to play against: references = ["NAME", ...]'
            )
        # Where bots are too few for every board, `_unseatable` says so.
        seats = [len(groups_of(board, self.seating)) for board in boards]
        fewest = min(seats)
        if len(names) == len(by_name) >= fewest:
            raise ArenaError(
                "references: all bots are named, and nobody is left to challenge them: name fewer"
            )
        return names


TABLES: Mapping[str, type[BaseModel]] = {
    "": Tournament,
    "time": Time,
    "limits": LimitsTable,
    "faults": Faults,
    "openings": OpeningsTable,
    "workers": WorkersTable,
    "notify": NotifyTable,
}


def load(path: Path, overrides: Mapping[str, object] | None = None) -> Tournament:
    """Read a tournament.toml; `overrides` replace keys by their dotted names, such as `time.move`.

    ArenaError with a line for each mistake, naming the file and the key.
    """
    overrides = overrides or {}
    table = toml.read(path, "`arena init DIR` makes one, and `arena run --demo` plays a demo")
    file_formats.TOURNAMENT.check(table.get("format", 1), f"{path}: format:")
    _override(table, overrides)
    for key, value in _numbers(table):
        if abs(value) > LARGEST_NUMBER:
            words = f"{key}: this number is too large; whole numbers go up to {LARGEST_NUMBER}"
            raise FileError(path, words)
    try:
        return extended.tournament_class().model_validate(table)
    except ValidationError as error:
        known = dict(TABLES)
        known[""] = extended.tournament_class()
        known |= extended.tables()
        known |= extended.inner_tables(table)
        parts: list[str | Path] = []
        for wrong in wrong_keys(error, known):
            source: str | Path = path
            if wrong.key in overrides:
                source = "command line"
            parts += [source, f": {wrong}", "\n"]
        raise FilesError(*parts[:-1]) from error


def _override(table: dict[str, Any], overrides: Mapping[str, object]) -> None:
    """Write keys into the table of a file, by their dotted names.

    A whole table is written before its keys, in whatever order they are named.
    """
    by_depth = sorted(overrides, key=lambda name: name.count("."))
    for key in by_depth:
        *tables, last_name = key.split(".")

        changed = table
        for name in tables:
            if changed is table and name == "rating":  # the only key that is a name or a table
                rating = table.get(name, {})
                table[name] = rating_table(rating)
            changed = changed.setdefault(name, {})
            if not isinstance(changed, dict):
                raise ArenaError(f"--set {key}: {name!r} is not a table")
        changed[last_name] = overrides[key]


def board_of(match: Match, file: Path) -> Board:
    """Return the board of a recorded match, by the rules that a tournament.toml knows.

    Rules are trusted code and results may come from anybody, so the path in a record is never run.
    The file knows the rules of its workspace, and the rules files that it names by their path.
    """
    return rulebook.of_record(match, named_rules(file))


def named_rules(file: Path) -> dict[str, Path]:
    """Return the files of rules that a tournament.toml names by their path, by that path."""
    names: tuple[str, ...] = ()
    # Somebody may edit the file while an event runs. Matches by other rules stay readable then.
    with suppress(ArenaError):
        if file.is_file():
            names = load(file).boards
    paths: dict[str, Path] = {}
    for name in names:
        if ".py" not in name:
            continue
        path = rulebook.path_of(name)
        if path is not None:
            paths[str(path)] = path
    return paths


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a tournament.toml, for editors.

    `python -m arena.event.config` prints it.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **_plain(extended.tournament_class().model_json_schema()),
    }


def _plain(schema: Any) -> Any:
    """Return a schema without pydantic's titles, and without null, which TOML does not have."""
    if isinstance(schema, list):
        null = {"type": "null"}
        return [_plain(item) for item in schema if item != null]
    if not isinstance(schema, dict):
        return schema
    plain: dict[str, Any] = {}
    for key, value in schema.items():
        if key != "title" and value is not None:
            plain[key] = _plain(value)
    if len(plain.get("anyOf", ())) == 1:
        (only_schema,) = plain.pop("anyOf")
        plain |= only_schema
    return plain


def _listed_openings(
    file: str,
    workspace: Path,
    boards: Iterable[Board],
) -> Openings:
    """Return the openings that a file lists for these boards; ignore lines of other boards."""
    path = workspace / file
    try:
        shared_folders.refuse_pipe(path)
        text = path.read_text("utf-8-sig")  # editors on Windows begin a file with a mark
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "this is not UTF-8 text"
        hint = "`arena openings BOARD` makes such lines"
        raise ArenaError(f"openings.file: {path}: cannot be read: {reason}; {hint}") from error

    for board in boards:
        if board.sampled:
            raise ArenaError(
                f"openings.file: the boards {board.label} are sampled, and moves of one are not "
                "those of another: draw the openings too, by `plies`"
            )
    games = {board.label: rulebook.game_of(board) for board in boards}
    listed: dict[str, list[OpeningMoves]] = {label: [] for label in games}
    unplayed: set[str] = set()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            label, moves = openings.parse(line)
            if label in games:
                openings.turns_of(games[label], Opening(moves=moves))
                listed[label].append(moves)
            elif label not in unplayed:
                rulebook.find(label, workspace)  # raises for a board that does not exist
                unplayed.add(label)
        except ArenaError as error:
            raise ArenaError(f"openings.file: {path}:{number}: {error}") from error

    for label, board_openings in listed.items():
        if not board_openings:
            raise ArenaError(
                f"openings.file: {path} has no opening of {label}: "
                f"`arena openings {label}` makes some"
            )
    by_label = [(label, tuple(board_openings)) for label, board_openings in listed.items()]
    return Openings(listed=tuple(by_label))


def _boards_named(names: Iterable[str], boards: Sequence[Board]) -> tuple[Board, ...]:
    """Return the boards that the command line names; the name of a game means all its boards."""
    by_label = {board.label: board for board in boards}
    chosen: list[Board] = []
    for name in names:
        matching: list[Board] = []
        for board in boards:
            if name in {board.label, board.name, board.game}:
                matching.append(board)
        if not matching:
            board = _picked("--board", "board", name, by_label)
            matching.append(board)
        chosen += matching
    return _distinct(chosen)


def _distinct(boards: Iterable[Board]) -> tuple[Board, ...]:
    """Return the boards, each once, in their order."""
    return tuple(dict.fromkeys(boards))


def _plays_any(bot: Bot, boards: Iterable[Board]) -> bool:
    """Return whether a bot plays any role of these boards."""
    for board in boards:
        if any(bot.plays(board.game, board.name, role) for role in board.roles):
            return True
    return False


def _refuse_twins(key: str, names: Iterable[str]) -> None:
    """Raise ArenaError if this key of the file names anything twice."""
    counts = Counter(names)
    for name, count in counts.items():
        if count > 1:
            raise ArenaError(f"{key}: {name!r} is named twice; once is enough")


def _refuse_missing_module(name: str) -> None:
    """Raise ArenaError if arena's environment has no module that `preload` names."""
    parts = name.split(".")
    if not all(part.isidentifier() for part in parts) or find_spec(parts[0]) is None:
        raise ArenaError(
            f"preload: arena's environment has no module {name!r}; "
            "install it there, or leave it out"
        )


def _refuse_needless_call(name: str) -> None:
    """Raise ArenaError for a system call that does not exist, or that every bot may make."""
    known: set[str] = set()
    for arch in seccomp.AUDIT:
        known.update(syscalls.numbers(arch))
    if name not in known:
        hint = did_you_mean(name, sorted(known))
        hint = hint or "`arena check` names the calls that a bot misses"
        raise ArenaError(f"syscalls: Linux has no system call {name!r}; {hint}")
    always_allowed = call_policy.allowed() - call_policy.CHECKS.keys()
    if name in always_allowed:
        raise ArenaError(f"syscalls: every bot may call {name!r} anyway: leave it out")


BOARDS_NAMED = 3
"""The number of boards of which an error says how many bots they need."""


def _unseatable(event: Event) -> str:
    """Return why no board of an event can be seated, and what to do next."""
    reasons = [_lack(event, board) for board in event.boards[:BOARDS_NAMED]]
    unnamed = len(event.boards) - BOARDS_NAMED
    if unnamed > 0:
        reasons.append(f"and so on for {unnamed} more")
    hint = ""
    if event.seating == "distinct":
        hint = ", or leave out seating = 'distinct', by which every role wants a bot of its own"
    return (
        f"no board can be seated: {'; '.join(reasons)}: "
        f"add bots, or look at their `games` and `roles`{hint}"
    )


def _lack(event: Event, board: Board) -> str:
    """Return how many bots a board needs, and how many bots of the event play there."""
    groups = groups_of(board, event.seating)
    players: set[str] = set()
    vacant: list[str] = []
    for group in groups:
        is_vacant = True
        for bot in event.bots:
            if all(bot.plays(board.game, board.name, role) for role in group):
                players.add(bot.name)
                is_vacant = False
        if is_vacant:
            vacant.append(" and ".join(group))

    needed = counted(len(groups), "bot")
    needs = f"{board.label} needs {needed}"
    if players and vacant:
        return f"{needs}, and none plays {' or '.join(vacant)} there"
    if event.schedule == "gauntlet":
        challengers = len(players - set(event.references))
        references = len(players) - challengers
        return (
            f"{needs}, of them one challenger and {len(groups) - 1} of `references`, and there are "
            f"{counted(challengers, 'challenger')} and {counted(references, 'reference bot')}"
        )
    bots = counted(len(players), "bot")
    verb = "plays" if len(players) == 1 else "play"
    return f"{needs}, and {bots} of this event {verb} there"


def _picked(
    source: str,
    kind: str,
    name: str,
    known: Mapping[str, Named],
) -> Named:
    """Return the bot or the board with this name, which a key or an option names.

    ArenaError if there is none; OptionError if `source` is an option of the command line.
    """
    if name not in known:
        mistake = ArenaError
        if source in {"--board", "--bot"}:
            mistake = OptionError
        names = known_are(name, known)
        sentence = f"{source}: there is no {kind} {name!r} in this event; {names}"
        if source == "--board":
            sentence += "; `boards` in tournament.toml adds another"
        raise mistake(sentence)
    return known[name]


def _numbers(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, int]]:
    """Yield each whole number of a file, also of its inner tables, with its dotted key."""
    for key, value in table.items():
        dotted_key = f"{prefix}{key}"
        items = [value]
        if isinstance(value, list):
            items = value
        for item in items:
            if isinstance(item, dict):
                yield from _numbers(item, f"{dotted_key}.")
            elif isinstance(item, int):
                yield dotted_key, item
