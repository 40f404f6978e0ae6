"""`arena merge`: join archives of one event, or take single matches into one."""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import shared_folders, whole_files
from arena.cli import options, output, paths, stored_match
from arena.cli.making import making_archive
from arena.cli.progress import ProgressLine
from arena.cli.verify import verified_in
from arena.errors import ArenaError, writing

if TYPE_CHECKING:
    from arena.results.archive import Archive

PROBLEMS_NAMED = 3
MOST_TOML_BYTES = 10_000_000


def merge(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="EVENT...",
            help=(
                "Archives of the same event: names under results/, or paths. Or the event that "
                "takes matches, by default the one here, and files of `arena export --match`."
            ),
        ),
    ],
    name: Annotated[
        str | None, typer.Option(help="The result goes to results/NAME; default: EVENT-merged.")
    ] = None,
    keep_first: Annotated[
        bool,
        typer.Option(
            "--keep-first",
            help=(
                "Where two have different records of a match, keep that of the archive named first."
            ),
        ),
    ] = False,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify/--no-verify",
            help="Check the result as `arena verify` does, before it is kept.",
        ),
    ] = True,
    json: options.Json = False,
) -> None:
    """Join archives of one event that were played in several places, as results/NAME.

    Conflicting records are named.

    With files it takes their matches into an event, once the rules confirm them.
    """
    events: list[str] = []
    files: list[Path] = []
    for source in sources:
        if _is_match_file(source):
            files.append(Path(source))
        else:
            events.append(source)
    if files:
        if len(events) > 1 or name is not None or keep_first:
            raise ArenaError(
                "merge: files are taken into one event as they are: no second event, --name, "
                "--keep-first"
            )
        _take(files, *events, json=json)
        return

    if name is not None:
        _checked(name)
    folders = [paths.event_folder(event) for event in events]
    different = {folder.resolve() for folder in folders}
    if len(different) < max(2, len(folders)):
        raise ArenaError("merge: name at least two archives, each once")

    target, stored, counting = _join(folders, name, keep_first=keep_first, verify=verify)
    row = {
        "folder": str(target),
        "matches": stored,
        "count": counting,
        "verified": verify,
    }
    line = f"{paths.displayed(target)}: {stored} matches, of which {counting} count in the tables"
    output.print_result([row], line, json=json)


def _join(
    folders: Sequence[Path],
    name: str | None,
    *,
    keep_first: bool,
    verify: bool,
) -> tuple[Path, int, int]:
    """Join the archives of these folders as results/NAME.

    Return the new folder, the number of its matches, and of those that count.
    """
    from arena.event import merging
    from arena.results.archive import Archive

    with ExitStack() as stack:
        archives = [stack.enter_context(Archive.open(folder)) for folder in folders]
        event = merging.joined_event(archives)
        if name is None:
            name = f"{event.name}-merged"
        target = paths.results_folder(Path(), _checked(name))
        if target.exists():
            raise ArenaError(f"{target}: is there already; choose another --name, or move it away")
        mode = whole_files.SHARED
        if isinstance(event.seed, str):  # a secret seed
            mode = whole_files.PRIVATE

        with writing(target), making_archive(target, ".merging") as making:
            for folder in folders:
                _copy_bots(folder, making / "bots")
            _copy_toml(folders[0], making, mode)
            whole_files.make_empty(making / paths.EVENT_FILE, mode)
            with Archive.open(making, writing=True) as merged:
                with ProgressLine("merge: records") as progress:
                    stored, counting = merging.merge(
                        event,
                        archives,
                        merged,
                        target / "bots",
                        keep_first=keep_first,
                        tell=progress,
                    )
                for archive in archives:
                    archive.close()  # no connection is open in a process that forks
                if verify:
                    _verify(merged, folders)
            whole_files.publish(making, target)
    return target, stored, counting


def _copy_toml(source: Path, target: Path, mode: int) -> None:
    """Copy the tournament.toml of an archive, if it has one."""
    try:
        content = shared_folders.read(source / paths.TOURNAMENT_FILE, MOST_TOML_BYTES)
    except OSError:  # no file, or a link in a foreign folder, which may lead to private files
        return
    whole_files.write(target / paths.TOURNAMENT_FILE, content, mode)


def _is_match_file(source: str) -> bool:
    """Return whether this is a file of a match: no archive, and no tournament.toml.

    A missing file counts if its name is that of a text.
    """
    if source.endswith(".txt"):
        return True
    if source.endswith((".toml", paths.EVENT_FILE)):
        return False
    return Path(source).is_file()


def _take(
    files: Sequence[Path],
    event: str | None = None,
    *,
    json: bool,
) -> None:
    """Take the matches of files into an event."""
    from arena.event import merging
    from arena.results.archive import Archive

    folder = paths.event_folder(event)
    records = [(path, stored_match.read_record(path)) for path in files]
    with Archive.open(folder, writing=True) as archive:
        new = merging.take(archive, records)

    rows: list[dict[str, object]] = []
    lines: list[str] = []
    for (path, record), is_new in zip(records, new, strict=True):
        match = record.match.id
        result = "was there already"
        if is_new:
            result = "taken"
        row: dict[str, object] = {
            "file": str(path),
            "match": match,
            "new": is_new,
        }
        rows.append(row)
        lines.append(f"match {match}: {result}")
    output.print_result(rows, *lines, json=json)


def _checked(name: str) -> str:
    """Return the name of a folder under results/; ArenaError for any other path.

    The name may be an archive's own.
    """
    if not name or "/" in name or name.startswith("."):
        raise ArenaError(f"--name {name}: must be a name for a folder under results/")
    return name


def _copy_bots(source: Path, target: Path) -> None:
    """Copy the bots' copies, which `arena rerun` plays; a notice names those that are left out.

    Another user may have made them, and may exchange them for links meanwhile.
    """
    whole_files.make_folder(target)
    try:
        with shared_folders.opened(source, "bots") as folder:
            digests = sorted(os.listdir(folder))  # noqa: PTH208 (of a descriptor)
    except FileNotFoundError:
        return
    except OSError as error:
        raise ArenaError(f"{error.filename}: cannot be read: {error.strerror}") from error

    _, refused = stored_match.copy_bots(source, digests, target)
    if not refused:
        return
    count = f"{len(refused)} copies"
    if len(refused) == 1:
        count = "1 copy"
    reasons: list[str] = []
    for digest, reason in islice(refused.items(), PROBLEMS_NAMED):
        reasons.append(output.safe_line(f"{digest}: {reason}"))
    output.notice(
        f"{source / 'bots'}: {count} left out, so that nobody can rerun their matches: "
        f"{'; '.join(reasons)}"
    )


def _verify(merged: "Archive", folders: Sequence[Path]) -> None:
    """Raise ArenaError unless the records agree with the rules, and the tables with the records."""
    from arena.replay import verify

    with ProgressLine("merge: verify") as progress:
        _, problems = verify.checked(
            merged,
            stored_match.game_of,
            progress,
            unfinished=False,
            verified=verified_in(merged, folders),
        )
    if not problems:
        return

    statements: list[str] = []
    for match, words in problems[:PROBLEMS_NAMED]:
        statement = output.safe_line(words)
        if match:
            statement = f"match {match}: {statement}"
        statements.append(statement)
    sources = " and ".join(map(paths.displayed, folders))
    raise ArenaError(
        f"merge: {len(problems)} statements do not hold, so nothing was kept: "
        f"{'; '.join(statements)}; `arena verify` says whether {sources} hold, and --no-verify "
        "keeps the result all the same"
    )
