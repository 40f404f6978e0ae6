"""`arena commit`: publish, before an event, the digests by which anybody can check it afterwards."""

import contextlib
from pathlib import Path

from arena import whole_files
from arena.cli import options, output, paths, workspace
from arena.errors import ArenaError, writing
from arena.event import commitment, config
from arena.results.archive import Archive, NoResultsError


def commit(file: options.TournamentFile = None, json: options.Json = False) -> None:
    """Write the commitment of an event, before its first match: digests of its seed, bots, boards and settings."""
    path = paths.tournament_file(file)
    event, _ = workspace.event_of(config.load(path), path)
    folder = paths.results_folder(path.parent, event.name)
    with contextlib.suppress(NoResultsError), Archive.open(folder, writing=False) as archive:
        if archive.of_all_versions().count():
            raise ArenaError(f"{folder}: matches of {event.name} were played already; a commitment comes before them")
    made = commitment.commitment(event, {bot.name: Path(bot.files) for bot in event.bots if bot.files is not None})
    with writing(folder):
        whole_files.make_folder(folder)
        written = whole_files.write(folder / commitment.FILE, made.model_dump_json(indent=1).encode())
    if json:
        output.print_json([{"digest": made.digest, "file": paths.displayed(written)}])
        return
    print(made.digest)
    output.notice(
        f"publish this digest, or {paths.displayed(written)}, before the event; after it, publish the workspace: "
        "`arena verify --public` checks it (`arena docs notary`)"
    )
