"""`arena clip`: a recorded match as a picture that moves, or as one that does not."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import whole_files
from arena.cli import options, output, paths, stored_match
from arena.display_names import display_names
from arena.errors import ArenaError, writing
from arena.games.quality import qualities_of
from arena.replay import like_positions, replayer
from arena.replay.chances import chances_of
from arena.replay.like_positions import LikePositions
from arena.values import Record

if TYPE_CHECKING:
    from arena.pictures.match import Clip

FORMS = (".gif", ".svg", ".mp4", ".png")
TURNS = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


def clip(
    match: options.MatchId,
    to: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="match.gif, .svg, .mp4 (with ffmpeg), or .png."
        ),
    ] = Path("match.gif"),
    turns: Annotated[
        str | None,
        typer.Option(
            metavar="A-B", help="Only these turns, or one; 0 is the start. A .png shows the last."
        ),
    ] = None,
    key: Annotated[
        bool,
        typer.Option(
            "--key", help="Only the turns in which the chance to win broke, each with its sentence."
        ),
    ] = False,
    dark: Annotated[bool, typer.Option("--dark", help="For a dark page.")] = False,
    json: options.Json = False,
) -> None:
    """Write a recorded match as a picture for sharing.

    It is a GIF, an SVG that moves without script, a film or a still.
    """
    if to.suffix not in FORMS:
        raise ArenaError(f"-o {to}: the name must end with {', '.join(FORMS[:-1])} or {FORMS[-1]}")
    if key and turns is not None:
        raise ArenaError("--key chooses the turns itself: leave out --turns")
    record = stored_match.load_record(match)
    game = stored_match.confirmed_game(record)
    from arena.pictures.match import Clip

    seats = record.match.seats
    qualities = qualities_of(game, record.turns)
    scenes = tuple(replayer.scenes(game, record.turns, qualities))
    like = _like_positions(match, record)
    chances = chances_of(game, record, scenes, like)
    bots = dict.fromkeys(seat.bot for seat in seats)  # in order, without repeats
    labels = display_names(bots)
    names = {seat.role: labels[seat.bot.name] for seat in seats}
    clip = Clip(game, record, names, scenes, chances, dark)
    numbers = [scene.number for scene in scenes]
    first, last = _indices(turns, numbers)
    content = _drawn(clip, to.suffix, first, last, key=key)
    with writing(to):
        whole_files.write(to, content)

    sentences: list[str] = []
    if key:
        sentences = [sentence for _, sentence in clip.key_turns]
    lines = [f"{paths.displayed(to)}: {len(content) / 1000:.0f} kB"]
    for sentence in sentences:
        lines.append(f"  {output.safe_line(sentence, 300)}")
    row = {
        "match": record.match.id,
        "file": str(to),
        "bytes": len(content),
        "key": sentences,
    }
    output.print_result([row], *lines, json=json)


def _drawn(
    clip: "Clip",
    form: str,
    first: int,
    last: int,
    *,
    key: bool,
) -> bytes:
    """Return the file of a clip in this form: of its key turns, or of these scenes.

    A still shows the last of them.
    """
    from arena.pictures import pixels, svg

    if form == ".png":
        if key:
            return pixels.png(clip.key_stills())
        still = clip.film(last, last)
        return pixels.png([still])
    if key:
        film = clip.key_film()
    else:
        film = clip.film(first, last)
    if form == ".gif":
        return pixels.gif(film)
    if form == ".mp4":
        return pixels.mp4(film)
    return svg.svg(film)


def _indices(turns: str | None, numbers: list[int]) -> tuple[int, int]:
    """Return the indices of the first and the last scene that `--turns` names."""
    if turns is None:
        return 0, len(numbers) - 1
    chosen: list[int] = []
    named = TURNS.fullmatch(turns)
    if named is not None:
        begin = int(named[1])
        end = int(named[2] or named[1])
        chosen = [index for index, number in enumerate(numbers) if begin <= number <= end]
    if not chosen:
        raise ArenaError(
            f"--turns {turns}: expected A-B, or a number, "
            f"of the turns 0 (the start) to {numbers[-1]}"
        )
    return chosen[0], chosen[-1]


def _like_positions(name: str, record: Record) -> LikePositions | None:
    """Return what became of like positions in the event of a match.

    The file of a match has no event.
    """
    from arena.results.archive import Archive

    if stored_match.is_file(name):
        return None
    event = stored_match.event_of(name)
    folder = paths.event_folder(event)
    board = record.match.label
    with Archive.open(folder, writing=False) as archive:
        learned = like_positions.learn(archive, [board], stored_match.game_of)
    return learned.get(board)
