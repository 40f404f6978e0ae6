"""`arena clip`: a recorded match as a picture that moves, or as one that does not."""

import re
from pathlib import Path
from typing import Annotated

import typer

from arena import whole_files
from arena.cli import options, output, paths, stored_match
from arena.display_names import display_names
from arena.errors import ArenaError, writing
from arena.games.quality import assessor_of
from arena.replay import like_positions
from arena.replay.chances import chances_of
from arena.replay.like_positions import LikePositions
from arena.replay.replayer import scenes
from arena.values import Record

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
    """Write a recorded match as a picture for sharing: a GIF, an SVG that moves without script, a film or a still."""
    if to.suffix not in FORMS:
        raise ArenaError(f"-o {to}: the name must end with {', '.join(FORMS[:-1])} or {FORMS[-1]}")
    if key and turns is not None:
        raise ArenaError("--key chooses the turns itself: leave out --turns")
    record = stored_match.load_record(match)
    game = stored_match.confirmed_game(record)
    from arena.pictures import pixels, svg
    from arena.pictures.match import Clip

    every = tuple(scenes(game, record.turns, assessor_of(game)))
    chances = chances_of(game, record, every, _like_positions(match, record))
    labels = display_names(dict.fromkeys(seat.bot for seat in record.match.seats))
    names = {seat.role: labels[seat.bot.name] for seat in record.match.seats}
    shown = Clip(game, record, names, every, chances, dark)
    first, last = _indices(turns, [scene.number for scene in every])
    if to.suffix == ".png":
        content = pixels.png(shown.key_stills() if key else [shown.film(last, last)])
    else:
        film = shown.key_film() if key else shown.film(first, last)
        content = {".gif": pixels.gif, ".mp4": pixels.mp4, ".svg": svg.svg}[to.suffix](film)
    with writing(to):
        whole_files.write(to, content)
    sentences = [words for _, words in shown.key_turns] if key else []
    output.print_result(
        [{"match": record.match.id, "file": str(to), "bytes": len(content), "key": sentences}],
        f"{paths.displayed(to)}: {len(content) / 1000:.0f} kB",
        *(f"  {output.safe_line(words, 300)}" for words in sentences),
        json=json,
    )


def _indices(turns: str | None, numbers: list[int]) -> tuple[int, int]:
    """Return the indices of the first and the last scene that `--turns` names."""
    if turns is None:
        return 0, len(numbers) - 1
    found = TURNS.fullmatch(turns)
    begin, end = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    chosen = [index for index, number in enumerate(numbers) if begin <= number <= end]
    if not chosen:
        raise ArenaError(
            f"--turns {turns}: expected A-B, or a number, of the turns 0 (the start) to {numbers[-1]}"
        )
    return chosen[0], chosen[-1]


def _like_positions(name: str, record: Record) -> LikePositions | None:
    """Return what became of like positions in the event of a match; the file of a match has no event."""
    from arena.results.archive import Archive

    if stored_match.is_file(name):
        return None
    with Archive.open(paths.event_folder(stored_match.event_of(name)), writing=False) as archive:
        learned = like_positions.learn(archive, [record.match.label], stored_match.game_of)
    return learned.get(record.match.label)
