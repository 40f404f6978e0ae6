"""`arena commit`: what is published before an event."""

import contextlib
from dataclasses import replace
from pathlib import Path

from arena import whole_files, workspace
from arena.cli import options, output, paths
from arena.errors import ArenaError, writing
from arena.event.folders import COMMITMENT_FILE


def commit(file: options.TournamentFile = None, json: options.Json = False) -> None:
    """Write the commitment of an event, before its first match: digests of its seed, bots, boards and settings."""
    from arena.event import config
    from arena.extras.notary import commitment
    from arena.results.archive import Archive, NoResultsError

    path = paths.tournament_file(file)
    tournament = config.load(path)
    event, _ = workspace.event_of(tournament, path)
    handed_in = {bot.name: bot.display for bot in tournament.entrants(path.parent)}
    # A name in people.csv may change before the event is played, and would contradict the
    # commitment.
    event = replace(
        event, bots=tuple(replace(bot, display=handed_in[bot.name]) for bot in event.bots)
    )
    folder = paths.results_folder(path.parent, event.name)
    with contextlib.suppress(NoResultsError), Archive.open(folder, writing=False) as archive:
        if archive.of_all_versions().count():
            raise ArenaError(
                f"{folder}: matches of {event.name} were played already; a commitment comes before them"
            )
    made = commitment.commitment(
        event, {bot.name: Path(bot.files) for bot in event.bots if bot.files is not None}
    )
    with writing(folder):
        whole_files.make_folder(folder)
        written = whole_files.write(
            folder / COMMITMENT_FILE, made.model_dump_json(indent=1).encode()
        )
    if json:
        output.print_json([{"digest": made.digest, "file": paths.displayed(written)}])
        return
    print(made.digest)
    output.notice(
        f"publish this digest, or {paths.displayed(written)}, before the event; after it, publish the workspace: "
        "`arena verify --public` checks it (`arena docs notary`)"
    )
