"""`arena export --card` and `--badge`: the leaderboard, or the rank of a bot, as a picture."""

import re
from pathlib import Path
from typing import Annotated

import typer

from arena import whole_files
from arena.cli import output, paths
from arena.display_names import bot_shown
from arena.errors import ArenaError, writing

FORBIDDEN = re.compile(r"[^\w@-]")
"""What a bot's name may have, but not that of a file."""


def export(
    event: str | None,
    to: Path | None,
    match: str | None,
    all_versions: bool,
    json: bool,
    card: Annotated[
        bool, typer.Option("--card", help="Only the leaderboard, as a picture: card.png or --to.")
    ] = False,
    badge: Annotated[
        str | None, typer.Option(metavar="BOT", help="Only a bot's rank: badge-BOT.svg, or --to.")
    ] = None,
    dark: Annotated[
        bool, typer.Option("--dark", help="A card for dark pages: card-dark.png.")
    ] = False,
) -> None:
    """Write the leaderboard as a card, or a bot's badge."""
    folder = paths.event_folder(event)
    if dark and not card:
        raise ArenaError("--dark goes with --card only")
    if match is not None or (card and badge is not None):
        raise ArenaError("--match, --card and --badge are three things: name one")
    if badge is not None:
        default = f"badge-{FORBIDDEN.sub('_', badge)[:100]}.svg"
    elif dark:
        default = "card-dark.png"  # the card of the report, card.png, is a light one
    else:
        default = "card.png"
    path = to or folder / default
    if path.suffix not in {".png", ".svg"}:
        raise ArenaError(f"--to {path}: the name of a picture must end with .png or .svg")
    _write_picture(
        folder,
        badge,
        path,
        dark=dark,
        all_versions=all_versions,
        json=json,
    )


def _write_picture(
    folder: Path,
    badge: str | None,
    path: Path,
    *,
    dark: bool,
    all_versions: bool,
    json: bool,
) -> None:
    """Write the badge of this bot; without a bot, the leaderboard as a card."""
    from arena.cli.results import read
    from arena.pictures import card, pixels, svg

    results = read(folder, all_versions=all_versions)
    if badge is None:
        film = card.card(results, dark)
    else:
        bot = bot_shown(badge, results.event.bots)
        film = card.badge(results, bot)
    if path.suffix == ".svg":
        content = svg.svg(film)
    else:
        content = pixels.png([film])
    with writing(path):
        whole_files.write(path, content)
    row = {"file": str(path), "bytes": len(content)}
    output.print_result([row], paths.displayed(path), json=json)
