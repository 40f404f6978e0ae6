"""`arena commit`: write the commitment that is published before an event."""

import contextlib
from dataclasses import replace
from pathlib import Path

from arena import whole_files, workspace
from arena.cli import options, output, paths
from arena.errors import ArenaError, writing
from arena.results.folders import COMMITMENT_FILE


def commit(file: options.TournamentFile = None, json: options.Json = False) -> None:
    """Write the commitment of an event, before its first match.

    It has digests of the event's seed, bots, boards and settings.
    """
    from arena.event import config
    from arena.extras.notary import commitment
    from arena.results.archive import Archive, NoResultsError

    path = paths.tournament_file(file)
    tournament = config.load(path)
    event, _ = workspace.event_of(tournament, path)
    # A name in people.csv may change before the event is played, and would contradict the
    # commitment. So it has the names that came with the bots.
    entrants = tournament.entrants(path.parent)
    displays = {bot.name: bot.display for bot in entrants}
    bots = [replace(bot, display=displays[bot.name]) for bot in event.bots]
    event = replace(event, bots=tuple(bots))

    folder = paths.results_folder(path.parent, event.name)
    with contextlib.suppress(NoResultsError), Archive.open(folder, writing=False) as archive:
        if archive.of_all_versions().count():
            raise ArenaError(
                f"{folder}: matches of {event.name} were played already; "
                "a commitment comes before them"
            )

    files: dict[str, Path] = {}
    for bot in bots:
        if bot.files is not None:
            files[bot.name] = Path(bot.files)
    sealed = commitment.commitment(event, files)
    content = sealed.model_dump_json(indent=1).encode()
    with writing(folder):
        whole_files.make_folder(folder)
        written = whole_files.write(folder / COMMITMENT_FILE, content)

    if json:
        row = {"digest": sealed.digest, "file": paths.displayed(written)}
        output.print_json([row])
        return
    print(sealed.digest)
    output.notice(
        f"publish this digest, or {paths.displayed(written)}, before the event; "
        "after it, publish the workspace: "
        "`arena verify --public` checks it (`arena docs notary`)"
    )
