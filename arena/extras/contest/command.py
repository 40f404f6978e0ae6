"""`arena contest`: the steps of a contest in a git repository: a pull request is a submission."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from arena import whole_files, workspace
from arena.author.checkup import Checkup
from arena.cli import output, paths, results, stored_match
from arena.errors import ArenaError, counted, writing
from arena.event import discovery, merging
from arena.event.discovery import names
from arena.extras.contest import git, site
from arena.sandbox import folder as scratch
from arena.sandbox.launcher import Launcher
from arena.values import Bot

ACTIONS = ("check", "play", "publish", "site")
ATTEMPTS = 20
"""How often other runs may publish before a run gives up."""
HISTORY = "history.csv"
MOST_MISTAKES = 50
"""The most mistakes that are named: hosts drop a longer page."""


def contest(
    action: Annotated[
        str, typer.Argument(metavar="ACTION", help="The step: check, play, publish or site.")
    ],
    commits: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="BASE HEAD", help="For check: the commits that a pull request joins."
        ),
    ] = None,
    author: Annotated[
        str | None,
        typer.Option(help="For check: whose pull request it is; only bots/AUTHOR/ may change."),
    ] = None,
    remote: Annotated[str, typer.Option(help="The repository that has the archive.")] = "origin",
    branch: Annotated[str, typer.Option(help="The branch that has the archive.")] = "archive",
    to: Annotated[
        Path, typer.Option(metavar="DIR", help="For site: the folder that it goes to.")
    ] = Path("site"),
) -> None:
    """Take a step of a contest that is a git repository, in its checkout.

    `arena init --contest` makes one.

    check: may this pull request be merged? Prints the answer as Markdown; exit code 1 when it may
    not. play: play the matches that the archive does not have yet. publish: join the matches with
    the archive, and push it. site: write the report, a page for each bot, and the history of the
    ranks.
    """
    if action not in ACTIONS:
        raise ArenaError(f"contest {action}: expected {', '.join(ACTIONS)}")
    if action == "check":
        if len(commits or ()) != 2 or author is None:
            raise ArenaError(
                "contest check: name two commits and an author: BASE HEAD --author NAME"
            )
        base, head = map(git.commit_of, commits or ())
        passed, verdict, reasons = _verdict(base, head, author)
        lines = [f"## This pull request {verdict}", "", *reasons]
        print("\n".join(lines))
        if not passed:
            raise typer.Exit(1)
        return
    if commits or author is not None:
        raise ArenaError(f"contest {action}: commits and --author are for contest check")
    archive = git.ArchiveBranch(remote, branch)
    folder = paths.results_folder(Path(), workspace.own_tournament().name)
    if action == "play":
        _play(archive, folder)
    elif action == "publish":
        _publish(archive, folder)
    else:
        _site(archive, to)


def _verdict(base: str, head: str, author: str) -> tuple[bool, str, list[str]]:
    """Return whether a pull request may be merged, the verdict, and reasons as Markdown."""
    with scratch.temporary() as folder:
        try:
            changes = islice(git.mistakes(base, head, author), MOST_MISTAKES + 1)
            mistakes = git.within_limits(lambda: list(changes))
            if mistakes:
                if len(mistakes) > MOST_MISTAKES:
                    mistakes[MOST_MISTAKES:] = ["and more"]
                reasons = [f"- {_quoted(mistake)}" for mistake in mistakes]
                return False, "may not be merged: it changes what is not its author's", reasons
            merged = git.within_limits(lambda: git.check_out(head, author, folder, base))
            other_authors = _others(merged.workspace, author)
            if merged.bot is None:
                notes = _too_few(len(other_authors))
                return True, f"may be merged: {author} leaves the contest", notes
            result = _checkup(merged.bot, author, other_authors)
        except ArenaError as error:
            # The author does not know these temporary folders.
            reason = error.seen_from(folder / git.CLONE, folder)
            return False, "may not be merged as it is", [f"- {_quoted(reason)}"]

    findings = list(_findings(result))
    findings += _too_few(len(other_authors) + 1)
    if result.sound:
        return True, "may be merged: the bot is fit to play", findings
    return False, "may not be merged as it is", findings


def _too_few(bots: int) -> list[str]:
    """Return a note as Markdown if the contest has too few bots after the merge to play."""
    if bots > 1:
        return []
    count = counted(bots, "bot")
    return [f"- **note**: the contest has {count} then; `arena run` refuses until it has two"]


def _others(merged: Path, author: str) -> list[Bot]:
    """Return the bots beside the author's, after the merge.

    Raise ArenaError if `arena run` would refuse that workspace.
    """
    from arena.event import config

    tournament = config.load(merged / paths.TOURNAMENT_FILE)
    entrants = tournament.entrants(merged)
    # The first author of a contest may leave it, too, though the event then waits for another bot.
    if len(entrants) > 1:
        sampled_here = paths.results_folder(Path(), paths.SAMPLED_BOARDS)
        tournament.event(
            merged,
            entrants=entrants,
            sampled_boards=sampled_here.absolute(),
        )
    return [bot for bot in entrants if bot.name != author]


def _checkup(path: Path, author: str, rivals: Iterable[Bot]) -> Checkup:
    """Check the bot at a path, which the author has submitted, as `arena check` does."""
    tournament = workspace.own_tournament()
    workspace.forget_secrets(tournament)
    candidate = discovery.from_path(path, author)
    known: list[str] = []
    for bot in rivals:
        known += [bot.name, bot.display]
    display = candidate.display or author
    names.refuse_look_alike(display, known, "choose another `display` in its bot.toml")
    screening = workspace.screening(tournament)
    (candidate,) = screening.build([candidate])
    with Launcher(watches=True) as launcher:
        return screening.checkup(candidate, launcher)


def _findings(result: Checkup) -> Iterator[str]:
    """Yield the findings of a checkup as Markdown."""
    for finding in result.findings:
        message = f"{_quoted(finding.words)}. {_quoted(finding.cure)}"
        yield f"- **{finding.weight}**, {_quoted(finding.where)}: {message}"
        for line in finding.log:
            yield f"  - stderr: {_quoted(line)}"


def _quoted(text: str) -> str:
    """Return a text of strangers as one line of Markdown without links, pictures and mentions."""
    line = output.safe_line(text, 1000).replace("`", "'")
    if not line:
        return ""
    return f"`{line}`"


def _play(archive: git.ArchiveBranch, folder: Path) -> None:
    """Play the matches that neither the archive on its branch nor the archive here has."""
    from arena.cli.run import run

    stored = archive.read()
    if stored is not None:
        with _copied(stored) as theirs:
            commit = git.commit_of("HEAD")
            newer = stored.is_newer_than(commit)
            merging.add(theirs, folder, folder / "bots", newer=newer)
    run(charts=False)


@contextmanager
def _copied(stored: git.Stored | None) -> Iterator[Path]:
    """Yield a temporary folder with the archive of the branch; an empty folder if there is none."""
    with scratch.temporary() as folder:
        with writing(folder):
            if stored is not None:
                content = stored.file(paths.EVENT_FILE)
                whole_files.write(folder / paths.EVENT_FILE, content)
        yield folder


def _publish(archive: git.ArchiveBranch, folder: Path) -> None:
    """Push the archive with all matches of its branch.

    If another run was quicker, join with its matches and push again.
    """
    if not (folder / paths.EVENT_FILE).is_file():
        raise ArenaError(f"{folder}: nothing was played yet; `arena contest play` comes first")
    commit = git.commit_of("HEAD")
    for _ in range(ATTEMPTS):
        stored = archive.read()
        rows: site.History = []
        newer = False
        if stored is not None:
            rows = site.read_history(stored.file(HISTORY))
            newer = stored.is_newer_than(commit)
        # The matches here are added to the published archive, so that the published ones stay.
        with _copied(stored) as joined:
            merging.add(folder, joined, folder / "bots", newer=not newer)
            content = (joined / paths.EVENT_FILE).read_bytes()
            played = commit
            if stored is not None and newer:
                played = stored.played
            now = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}"
            ranks = site.ranks_now(results.read(joined), now, played[:12])
            rows = site.continued(rows, ranks)
        files = {
            paths.EVENT_FILE: content,
            HISTORY: site.history_text(rows),
            git.COMMIT: f"{played}\n".encode(),
        }
        if archive.push(files, stored):
            print(f"{archive.remote}/{archive.name}: has the archive now")
            return
    raise ArenaError(
        f"{archive.remote}/{archive.name}: others published {ATTEMPTS} times meanwhile; try again"
    )


def _site(archive: git.ArchiveBranch, to: Path) -> None:
    """Write the site of the archive on its branch."""
    stored = archive.read()
    if stored is None:
        raise ArenaError(
            f"{archive.remote}/{archive.name}: there is no such branch; "
            "`arena contest publish` makes it"
        )
    with _copied(stored) as folder:
        read = results.read(folder)
        report = results.write_report(read, stored_match.game_of)
        history = site.read_history(stored.file(HISTORY))
        with writing(to):
            written = site.write(read, history, report, to)
    for path in written:
        print(paths.displayed(path))
