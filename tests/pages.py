"""The parts of the manual that are made from the code: dialogues with the real referee, commands,
result columns.

`python tests/pages.py` writes them into the pages again; `tests/house/test_pages.py` compares. A
part stands between `<!-- NAME -->` and `<!-- end -->`.
"""

import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

import arena
from arena import extensions
from arena.cli import COMMANDS, EXTRAS_SECTION, extended
from arena.cli.live import human_seat, viewer
from arena.game import Game, Outcome
from arena.games import rulebook
from arena.match import entering
from arena.match.referee import Referee
from arena.protocol import Ask, Reply
from arena.results import export
from arena.results.columns import DECIMALS, FILE_DECIMALS, FRAMES, SECONDS_FILE_DECIMALS, Columns
from arena.results.leaderboard import Results
from arena.values import Bot, Conditions, Event

DOCS = Path(__file__).parent.parent / "docs"
COLUMNS = DOCS / "columns.md"
ID = "7f3a9c20e1b4"
SHOWN = 2
"""How many of the lines that begin with the same words are shown before an ellipsis."""
CLASSES = (Results, Game, Outcome)
"""What the page of the Python interface describes besides the functions of `arena`."""
ONCE = {"board", "state", "legal"}
PLAYED = {
    "mummy_maze": (
        "mummy_maze/duel",
        "mummy",
        {
            "explorer": ["move1 west", *["move1 nowhere"] * 3],
            "mummy": [
                "move2 north east",
                "# eta=6",
                "move2 east east",
                "move2 east south",
                "move2 east east",
            ],
        },
    ),
    "pacman": (
        "pacman/classic",
        "blinky",
        {
            "pacman": ["move west", "move west", "move north"],
            "blinky": ["move west", "move south", "move south"],
            "inky": ["move east", "move east", "move west"],
        },
    ),
    "connect_four": (
        "connect_four/standard",
        "yellow",
        {"red": ["drop 4", "drop 3", "drop 5", "drop 2"], "yellow": ["drop 4", "drop 3", "drop 5"]},
    ),
    "goofspiel": (
        "goofspiel/five",
        "left",
        {
            "left": [f"bid {card}" for card in (1, 5, 3, 4, 2)],
            "right": [f"bid {card}" for card in (2, 3, 5, 4, 1)],
        },
    ),
    "kuhn_poker": (
        "kuhn_poker/three_cards",
        "second",
        {"first": ["check", "call"], "second": ["bet"]},
    ),
    "surround": (
        "surround/nine",
        "blue",
        {
            "red": ["move east"] * 4,
            "green": ["move west"] * 4,
            "blue": ["move west"] * 5,
            "yellow": ["move south", *["move east"] * 3, "move north"],
        },
    ),
    "refused": (
        "mummy_maze/hunt",
        "explorer",
        {"explorer": ["West", "move1 up"], "mummy": []},
        "3f" * 16,
    ),
}
"""Each dialogue: the board, whose it is, and what everybody answers, the first legal move when
nothing is left; in an event with a secret seed also the key of the match."""


def parts() -> dict[tuple[Path, str], str]:
    """Return every part by its page and name, as it must stand there."""
    made = {(DOCS / "protocol.md", name): _fenced(dialogue(*told)) for name, told in PLAYED.items()}
    made |= {(COLUMNS, name): "\n".join(frame_columns(columns)) for name, columns in FRAMES.items()}
    shown = ", ".join(f"{decimals} of {unit}" for unit, decimals in DECIMALS.items())
    made[COLUMNS, "decimals"] = (
        f"CSV and JSON have {FILE_DECIMALS} decimals, and {SECONDS_FILE_DECIMALS} of seconds and "
        "costs. The terminal "
        f"and the leaderboard of the report\nshow {shown}, and 2 of any other figure that is no "
        "whole number."
    )
    made |= {
        (DOCS / "export.md", name): "\n".join(exported(columns))
        for name, columns in export.TABLES.items()
    }
    return made | {
        (DOCS / "api.md", "functions"): "\n".join(
            f"{heading(arena, name)}" for name in sorted(arena.__all__)
        ),
        **{(DOCS / "api.md", cls.__name__): "\n".join(members(cls)).rstrip() for cls in CLASSES},
        (DOCS / "commands.md", "commands"): "\n".join(first_commands()).rstrip(),
        (DOCS / "more-commands.md", "commands"): "\n".join(more_commands()).rstrip(),
        **of_extras(),
        (DOCS / "commands.md", "keys"): "\n".join(keys()),
    }


def standing(page: Path, name: str) -> str:
    """Return the part as it stands in the page."""
    found = re.search(rf"<!-- {name} -->\n(.*?)\n<!-- end -->", page.read_text("utf-8"), re.DOTALL)
    return found[1] if found else ""


def write(page: Path, name: str, text: str) -> None:
    """Write the part into the page."""
    whole = page.read_text("utf-8")
    before = f"<!-- {name} -->\n{standing(page, name)}\n"
    page.write_text(whole.replace(before, f"<!-- {name} -->\n{text}\n"), "utf-8")


def dialogue(
    label: str, role: str, answers: Mapping[str, list[str]], key: str = ""
) -> Iterator[str]:
    """Yield what one seat reads and writes in a match; a `>` line is the bot's, `...` stands for
    more such lines.
    """
    (board,) = rulebook.find(label)
    bots = tuple(Bot(name=one, command=(), digest="") for one in board.roles)
    event = Event(name="docs", seed=1, boards=(board,), bots=bots, conditions=Conditions(strikes=1))
    match = replace(event.match(board, bots, 0), id=ID, key=key)  # its own hashes the rules file
    referee = Referee(rulebook.game_of(board), match)
    left = {one: iter(said) for one, said in answers.items()}
    farewells: dict[str, bytes] = {}
    while asks := referee.asks():
        said = {one: _answer(ask, left[one]) for one, ask in asks.items()}
        if role in asks:
            yield from shortened(asks[role].text.decode().splitlines())
            yield from (f"> {line}" for line in said[role])
        farewells |= referee.hear(
            {one: Reply(line=lines[-1].encode()) for one, lines in said.items()}
        )
    yield from farewells.get(role, referee.farewell()).decode().splitlines()


def shortened(lines: list[str]) -> Iterator[str]:
    """Cut long lists of one kind of line short."""
    for kind, group in groupby(
        lines, key=lambda line: tuple(line.split()[: 2 if line.split()[0] != "legal" else 1])
    ):
        every = list(group)
        if kind[0] not in ONCE or len(every) <= SHOWN + 1:
            yield from every
        else:
            yield from every[:SHOWN]
            yield f"... {len(every) - SHOWN} more lines {' '.join(kind)}"


def of_extras() -> dict[tuple[Path, str], str]:
    """Return every part of the pages of extras."""
    made = {}
    for name, extension in extensions.extras().items():
        page = DOCS / "extras" / f"{name}.md"
        for frame_name, frame in extension.frames.items():
            made[page, frame_name] = "\n".join(frame_columns(extensions.load(frame.columns)))
        if name == "classroom":  # a file of its own, which is no frame of results
            from arena.extras.classroom.marks import GRADES

            made[page, "grades"] = "\n".join(frame_columns(GRADES))
        names = [declared.name for declared in extension.commands]
        lines = [*described(names), *added_options(name, extension)]
        if lines:
            made[page, "commands"] = "\n".join(lines).rstrip()
    return made


def first_commands() -> Iterator[str]:
    """Yield the commands of the first hour, with their arguments and options."""
    yield from described_section(next(iter(COMMANDS)))


def more_commands() -> Iterator[str]:
    """Yield every other command of the core, by section, with its arguments and options."""
    _, *others = COMMANDS
    for section in others:
        if section != EXTRAS_SECTION:
            yield from described_section(section)


def described_section(section: str) -> Iterator[str]:
    """Yield a section of commands with its heading."""
    yield from (f"## {section}", "")
    yield from described(COMMANDS[section])


def described(names: Iterable[str]) -> Iterator[str]:
    """Yield commands with their arguments and options."""
    for name in names:
        parser = extended(name)
        given = [param for param in parser.params if param.param_type_name == "argument"]
        words = [param.metavar if param.required else f"[{param.metavar}]" for param in given]
        yield from (f"### `arena {' '.join([name, *words])}`", "", _line(parser.help), "")
        rows = [f"| `{param.metavar}` | {_line(param.help)} |" for param in given]
        yield from ("| | |", "|---|---|", *rows, *option_rows(parser.params), "")


def added_options(name: str, extension: extensions.Extension) -> Iterator[str]:
    """Yield the options that an extension adds to commands of others."""
    for declared in extension.options:
        parser = extended(declared.command, (name, declared))
        known = {param.name for param in extended(declared.command).params}
        added = [param for param in parser.params if param.name not in known]
        yield from (
            f"### More options of `arena {declared.command}`",
            "",
            "| | |",
            "|---|---|",
            *option_rows(added),
            "",
        )


def option_rows(params: Iterable[Any]) -> Iterator[str]:
    """Yield a row of a table for each option among the parameters of a command."""
    for param in params:
        if param.param_type_name == "option" and not param.hidden:
            names = ", ".join([*param.opts, *param.secondary_opts])
            shown = (
                param.default is not None
                and param.default != ""
                and not isinstance(param.default, bool)
            )
            default = f" Default: `{param.default}`." if shown else ""
            what = " ".join(filter(None, (names, param.metavar)))
            yield f"| `{what}` | {_line(f'{param.help}{default}')} |"


def keys() -> Iterator[str]:
    """Yield the keys of a match on a terminal, and of a seat that a person holds."""
    yield from (
        "| key, while you look on | |",
        "|---|---|",
        *(f"| {key} | {does} |" for key, does in viewer.KEYS),
        "",
    )
    ways = [
        (entering.SIGNS[key], f"the next word of the move: {', '.join(words)}")
        for key, words in entering.DIRECTIONS.items()
    ]
    yield from (
        "| key, while you play | |",
        "|---|---|",
        *(f"| {key} | {does} |" for key, does in (*ways, *human_seat.KEYS)),
    )


def frame_columns(columns: Columns) -> Iterator[str]:
    """Yield a table of a frame's columns; neighbours of one meaning and unit stand in one row."""
    yield from ("| column | unit | meaning |", "|---|---|---|")
    for (unit, meaning), group in groupby(
        columns.columns, key=lambda column: (column.unit, column.meaning)
    ):
        names = ", ".join(f"`{column.name}`" for column in group)
        yield f"| {names} | {unit}{' ' * bool(unit)}| {meaning} |"


def exported(columns: Iterable[export.ExportColumn]) -> Iterator[str]:
    """Yield a table of an exported table's columns."""
    yield from ("| column | type | meaning |", "|---|---|---|")
    yield from (f"| `{column.name}` | {column.kind} | {column.meaning} |" for column in columns)


def members(cls: type) -> Iterator[str]:
    """Yield the text of a class, and of each of its own public members."""
    yield from (_prose(cls), "")
    yield from (
        heading(cls, name)
        for name in vars(cls)
        if not name.startswith("_") and _prose(getattr(cls, name))
    )


def heading(owner: object, name: str) -> str:
    """Return a member's name with its parameters, and its docstring."""
    member = inspect.getattr_static(owner, name)
    called = member.__func__ if isinstance(member, classmethod | staticmethod) else member
    parameters = str(inspect.signature(called)) if inspect.isfunction(called) else ""
    parameters = re.sub(
        r"<function (\w+) at \w+>", r"\1", re.sub(r"\b(?:\w+\.)+(?=[A-Z])", "", parameters)
    )
    return f"### `{name}{parameters}`\n\n{_prose(getattr(owner, name))}\n"


def _prose(member: object) -> str:
    """Return a docstring as Markdown, its example as a block; "" of what has none of its own, such
    as plain values.
    """
    documented = inspect.isroutine(member) or isinstance(member, type | property | cached_property)
    text, _, example = (inspect.getdoc(member) or "" if documented else "").partition("Example:\n")
    block = f"\n\n```python\n{textwrap.dedent(example).rstrip()}\n```" if example else ""
    return text.rstrip().replace("<", "&lt;") + block


def _line(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


def _answer(ask: Ask, left: Iterator[str]) -> list[str]:
    """Return the answer of a seat: the lines that are written for it, remarks first, else the first
    legal move.
    """
    if ask.ready:
        return ["ready"]
    said = [next(left, ask.legal[0])]
    while said[-1].startswith("#"):
        said.append(next(left, ask.legal[0]))
    return said


def _fenced(lines: Iterator[str]) -> str:
    return "\n".join(("```", *lines, "```"))


if __name__ == "__main__":
    for (page, name), text in parts().items():
        write(page, name, text)
