"""`arena void`: take matches of a faulty machine out of an event, so that they are played again."""

from typing import Annotated

import typer

from arena.cli import options, output, paths
from arena.errors import ArenaError, known_are


def void(
    machine: Annotated[str, typer.Argument(metavar="MACHINE", help="The machine's name, as the report shows it.")],
    event: options.EventName = None,
    reason: Annotated[str, typer.Option(help="What is wrong with it; the archive keeps this.")] = "a faulty machine",
    json: options.Json = False,
) -> None:
    """Void the crashes and time losses of a faulty machine of a cluster; the next run plays them again."""
    from arena.results.archive import Archive

    folder = paths.event_folder(event)
    with Archive.open(folder, writing=True) as archive:
        machines = [row.machine for row in archive.machines() if row.machine]
        if machine not in machines:
            raise ArenaError(f"{machine!r}: this machine played no match of {folder}; {known_are(machine, machines)}")
        voided = archive.void(machine, f"voided, {machine}: {reason}")
    if json:
        output.print_json({"match": match} for match in voided)
    else:
        them = "1 match" if len(voided) == 1 else f"{len(voided)} matches"
        print(f"{them} of {output.safe_line(machine)} voided; `arena run` plays what is due again")
