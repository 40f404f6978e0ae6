"""The task: what a newcomer needs before the first bot, for the event that the site plays.

It has the rules in words, the boards as pictures, a dialogue, limits, rounds, and starter kits to
take home. It says what tournament.toml says now, and nothing of results, so everybody may read it.
"""

import inspect
import io
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.author import starters
from arena.errors import ArenaError
from arena.event import config
from arena.extras.serve import pages, people
from arena.game import Game
from arena.games import manual, rulebook
from arena.match.referee import Referee
from arena.protocol import Reply, clean
from arena.results.folders import TOURNAMENT_FILE
from arena.sandbox import folder as scratch
from arena.values import Board, Bot, Conditions, Match, Record, Seat, Verdict

KIT_NAME = "mybot"
"""The name of the bot in every kit; its author changes it."""
EXAMPLE_SEED = "e" * 32
"""Boards that are sampled by the seed of the event are a secret until they are played."""
MOST_BOARDS = 12
"""Boards that are drawn. The other boards of an event are named."""
MOST_ANSWERS = 2
"""Answers of the bot in the dialogue."""
MOST_LINES = 60
LINE_LETTERS = 1000
ALIKE = 3
"""Lines of the dialogue that begin with the same two words and are shown, if there are more."""


@dataclass(frozen=True)
class TaskBoard:
    """A board of the event."""

    label: str
    roles: tuple[str, ...]
    is_example: bool
    """True when the event samples boards under this name, which nobody may see before it plays."""


@dataclass(frozen=True)
class TaskGame:
    """A game of the event: its rules in words, its boards, and what a bot reads and writes."""

    name: str
    rules: tuple[str, ...]
    boards: tuple[TaskBoard, ...]
    dialogue: tuple[tuple[str, str], ...]
    """Lines with their author, `referee` or `bot`, from the greeting on."""


@dataclass(frozen=True)
class EventTask:
    """What the page says."""

    event: str
    games: tuple[TaskGame, ...]
    limits: tuple[tuple[str, str], ...]
    """What is limited, and the limit, in words."""
    kits: tuple[tuple[str, str], ...]
    """The name and the language of each starter kit."""


def task(workspace: Path) -> EventTask:
    """Return the task of a workspace; raise ArenaError for a mistake in tournament.toml."""
    tournament = config.load(workspace / TOURNAMENT_FILE)
    conditions = tournament.conditions()
    boards_by_game: dict[str, list[Board]] = {}
    for board in _boards(workspace, tournament):
        boards_by_game.setdefault(board.game, []).append(board)
    games = [_task_game(boards, conditions) for boards in boards_by_game.values()]
    kits = [(kit.name, kit.language) for kit in starters.starters()]
    return EventTask(
        event=clean(tournament.name),
        games=tuple(games),
        limits=_limits(conditions),
        kits=tuple(kits),
    )


def _task_game(boards: Sequence[Board], conditions: Conditions) -> TaskGame:
    """Return the game that has these boards."""
    first_board = boards[0]
    game = rulebook.game_of(first_board)
    task_boards: list[TaskBoard] = []
    for board in boards:
        is_example = bool(board.sampled)
        task_boards.append(TaskBoard(board.label, board.roles, is_example))
    return TaskGame(
        name=clean(first_board.game),
        rules=_rules(game),
        boards=tuple(task_boards),
        dialogue=_dialogue(game, first_board, conditions),
    )


def picture(workspace: Path, label: str) -> bytes:
    """Return the start of a board of the event as an SVG; raise ArenaError for no board of it."""
    from arena.pictures import svg  # here, since no other part of the page draws
    from arena.pictures.match import Clip
    from arena.replay.replayer import scenes

    tournament = config.load(workspace / TOURNAMENT_FILE)
    boards = _boards(workspace, tournament)
    for board in boards[:MOST_BOARDS]:
        if board.label != label:
            continue
        game = rulebook.game_of(board)
        match = _match(board, Conditions())
        scores = dict.fromkeys(board.roles, 0)
        verdict = Verdict(scores=scores, reason="")
        record = Record(
            match=match,
            turns=(),
            verdict=verdict,
            sides=board.sides,
            seats=(),
            started="",
        )
        names = dict.fromkeys(board.roles, "")
        states = tuple(scenes(game, ()))
        clip = Clip(game, record, names, states)
        film = clip.film(0, 0)
        return svg.svg(film)
    raise ArenaError(f"{label!r} is no board of this event")


def kit(workspace: Path, name: str, author: str) -> bytes:
    """Return a starter kit as a zip: a bot that plays the games of the event at once."""
    tournament = config.load(workspace / TOURNAMENT_FILE)
    boards = _boards(workspace, tournament)
    games = dict.fromkeys(board.game for board in boards)  # in order, without repeats
    chosen = starters.find(name)
    path = f"bots/{KIT_NAME}"
    board = boards[0]
    players = " ".join([path] * len(board.sides))
    replacements = {
        "name": KIT_NAME,
        "path": path,
        "match": f"{players} --board {board.label}",
    }
    content = io.BytesIO()
    with scratch.temporary() as folder:
        kit_folder = folder / KIT_NAME
        starters.copy(
            chosen,
            kit_folder,
            author=author,
            games=tuple(games),
            replacements=replacements,
        )
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
            for file in sorted(kit_folder.rglob("*")):
                packed.write(file, file.relative_to(folder))
    return content.getvalue()


def _boards(workspace: Path, tournament: config.Tournament) -> tuple[Board, ...]:
    """Return the boards of the event; for a sampled board, an example that is not played."""
    boards: dict[str, Board] = {}
    for name in tournament.boards:
        for board in rulebook.find(name, workspace, EXAMPLE_SEED, 1):
            boards.setdefault(board.label, board)
    return tuple(boards.values())


def _rules(game: Game[Any]) -> tuple[str, ...]:
    """Return the paragraphs of the rules: the game's manual, or else the text on top of its rules.

    A line that ends within a sentence goes on with the next line.
    """
    lines = manual.lines(game.manual)
    if not lines:
        module = inspect.getmodule(type(game))
        text_on_top = inspect.getdoc(module) or ""
        lines = tuple(text_on_top.splitlines())
    paragraphs: list[str] = []
    is_open = False
    for line in lines[:MOST_LINES]:
        text = clean(line, LINE_LETTERS)
        if is_open and text:
            paragraphs[-1] += f" {text}"
        elif text:
            paragraphs.append(text)
        is_open = bool(text) and not text.endswith((".", ":", "!", "?"))
    return tuple(paragraphs)


def _dialogue(
    game: Game[Any],
    board: Board,
    conditions: Conditions,
) -> tuple[tuple[str, str], ...]:
    """Return the lines of a match, as the first role reads and writes them, until it has moved."""
    referee = Referee(game, _match(board, conditions))
    role = board.roles[0]
    lines: list[tuple[str, str]] = []
    answers = 0
    while answers <= MOST_ANSWERS:
        asks = referee.asks()
        if not asks:
            break
        replies = {}
        for asked_role, ask in asks.items():
            answer = "ready"
            if answers:
                legal_moves = game.legal_moves(referee.state, asked_role)
                answer = legal_moves[0]
            replies[asked_role] = Reply(line=answer.encode())
            if asked_role != role:
                continue
            question = ask.text.decode().splitlines()
            lines += [("referee", line) for line in _shortened(question)]
            lines.append(("bot", clean(answer)))
            answers += 1
        referee.hear(replies)
    return tuple(lines[:MOST_LINES])


def _shortened(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a question, but only the first of many lines that begin alike."""

    def first_two_words(line: str) -> list[str]:
        return line.split(" ")[:2]

    for start, group in groupby(lines, key=first_two_words):
        alike = list(group)
        if len(alike) <= ALIKE + 1:  # a line about one more line would save none
            yield from map(clean, alike)
            continue
        yield from map(clean, alike[:ALIKE])
        more = len(alike) - ALIKE
        beginning = " ".join(start)
        yield clean(f"... {more} more lines that begin with {beginning}")


def _match(board: Board, conditions: Conditions) -> Match:
    """Return a match of nobody on a board, to draw its start and to word its questions."""
    nobody = Bot(name="nobody", command=(), digest="")
    seats = [Seat(role=role, bot=nobody) for role in board.roles]
    sampled = ""
    if board.sampled:
        sampled = board.sampled[0]
    return Match(
        id="0" * 12,
        game=board.game,
        board=board.name,
        rules=board.rules,
        seats=tuple(seats),
        repeat=0,
        seed=0,
        sampled=sampled,
        conditions=conditions,
    )


def _limits(conditions: Conditions) -> tuple[tuple[str, str], ...]:
    """Return the limits of the event in words; a limit that is not set is left out."""
    time = conditions.time
    limits = conditions.limits
    megabytes = limits.memory and limits.memory // 1_000_000
    rows = [
        ("seconds from the start of a bot to its line `ready`", time.start),
        ("seconds for an answer", time.move),
        ("extra seconds, in a whole match, for answers that take longer", time.bank or None),
        ("memory of a bot, in MB", megabytes),
        ("CPU seconds of a bot in a match", limits.cpu),
        ("processes of a bot at the same time", limits.processes),
        ("illegal or unreadable answers in a match that do not end it", conditions.strikes),
    ]
    limits_in_words: list[tuple[str, str]] = []
    for label, value in rows:
        if value is not None:
            limits_in_words.append((label, f"{value:g}"))
    return tuple(limits_in_words)


async def show(request: Request) -> Response:
    """Show the task of the event."""
    accounts = people.accounts_of(request)
    task_page = await request.app.state.worker.run(task, accounts.workspace)
    rule, _ = accounts.setting("rounds", ("", ""))
    return pages.render(
        request,
        "task.html.j2",
        title=task_page.event,
        task=task_page,
        rounds=rule,
        frozen=accounts.is_on("frozen"),
        drawn=MOST_BOARDS,
        bot=KIT_NAME,
    )


async def send_picture(request: Request) -> Response:
    """Send the picture of a board."""
    workspace = people.accounts_of(request).workspace
    game = request.path_params["game"]
    board = request.path_params["board"]
    label = f"{game}/{board}"
    content = await request.app.state.worker.run(picture, workspace, label)
    return pages.fresh(request, content, "image/svg+xml")


async def send_kit(request: Request) -> Response:
    """Send a starter kit."""
    workspace = people.accounts_of(request).workspace
    name = request.path_params["kit"]
    names = {starter.name for starter in starters.starters()}
    if name not in names:
        raise HTTPException(404)
    account = people.person(request)
    author = ""
    if account is not None:
        author = account.name
    content = await request.app.state.worker.run(kit, workspace, name, author)
    return pages.download(content, f"{KIT_NAME}-{name}.zip", "application/zip")


ROUTES = [
    Route("/task", show),
    Route("/task/boards/{game}/{board}.svg", send_picture),
    Route("/task/kits/{kit}.zip", send_kit),
]
