"""`arena compare`: two bots of an event, head to head, and whether their difference is real."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena import workspace
from arena.cli import options, output, paths, results
from arena.display_names import bot_shown
from arena.errors import ArenaError
from arena.results.columns import FILE_DECIMALS, HEAD_TO_HEAD, LEADERBOARD, interval_text

if TYPE_CHECKING:
    from arena.results.comparison import BotComparison
    from arena.results.leaderboard import Results

MOST_CERTAIN = 0.999
"""No chance is printed as certain: it is a share of a thousand refits."""


def compare(
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="The first bot; `ada@1` is its version 1.")
    ],
    opponent: Annotated[str, typer.Argument(metavar="BOT", help="The second bot.")],
    event: options.EventName = None,
    rating: results.Rating = None,
    all_versions: results.AllVersions = False,
    json: options.Json = False,
) -> None:
    """Compare two bots: head to head by board and role, and whether one is really better."""
    from arena.results import comparison
    from arena.results.tables import rows_of

    folder = paths.event_folder(event)
    read = results.read(folder, all_versions=all_versions, rating=rating)
    bot = bot_shown(bot, read.event.bots)
    opponent = bot_shown(opponent, read.event.bots)
    if bot == opponent:
        raise ArenaError(f"{output.safe_line(bot)} twice: name two bots")

    names = {standing.bot for standing in read.standings}
    absent = {bot, opponent} - names
    if any("@" in name for name in absent):
        digests = _digests(read, (bot, opponent))
        duel = None
        if event is None and None in digests.values():
            duel = _duel_of(bot, opponent)
        if duel is not None:
            output.notice(f"{paths.displayed(folder)} has not both; from their duel, {duel}:")
            compare(bot, opponent, duel, rating, all_versions=all_versions, json=json)
            return
        _refuse_absent(read, digests)
        read = results.read(folder, rating=rating, versions=True)
        played_names = {standing.bot for standing in read.standings}
        bot = _version_label(played_names, bot, digests[bot])
        opponent = _version_label(played_names, opponent, digests[opponent])

    read.head_to_head(bot, opponent)  # refuses names that no bot has
    played = {standing.bot for standing in read.standings if standing.points is not None}
    for name in (bot, opponent):
        if name not in played:
            raise ArenaError(
                f"{output.safe_line(name)}: has not played yet; `arena run` goes on with the event"
            )

    compared: list[tuple[Results, BotComparison, list[dict[str, Any]]]] = []
    for league in read.leagues:
        compared_bots = comparison.compare(league, bot, opponent)
        if compared_bots:
            head_to_head = league.head_to_head(bot, opponent)
            rows = rows_of(head_to_head, HEAD_TO_HEAD)
            compared.append((league, compared_bots, rows))
    if json:
        json_rows: list[dict[str, object]] = []
        for league, compared_bots, rows in compared:
            json_rows.append(_row(league, compared_bots, rows, bot, opponent))
        output.print_json(json_rows)
        return

    first = output.safe_line(read.display_name(bot))
    second = output.safe_line(read.display_name(opponent))
    for number, (league, compared_bots, rows) in enumerate(compared):
        if len(read.leagues) > 1:
            output.print_section(number, league.game)
        _print(compared_bots, rows, first, second)
        for name, shown_name in ((bot, first), (opponent, second)):
            forfeits, matches = _forfeits(league, name)
            if forfeits:
                print(
                    f"{shown_name} was at fault in {forfeits} of its "
                    f"{output.counted(matches, 'match')}, which count, too."
                )
    if not compared:
        print(f"{first} and {second} play no game in common, so nothing compares them.")


def _row(
    league: "Results",
    comparison: "BotComparison",
    rows: list[dict[str, Any]],
    bot: str,
    opponent: str,
) -> dict[str, object]:
    """Return the comparison in a game as JSON values; `rows` are the head to head."""
    difference = comparison.difference
    forfeits, _ = _forfeits(league, bot)
    opponent_forfeits, _ = _forfeits(league, opponent)
    return {
        "game": league.game,
        "bot": bot,
        "opponent": opponent,
        "unit": comparison.unit,
        "difference": round(difference.value, FILE_DECIMALS) + 0.0,  # 0.0 for -0.0
        "low": round(difference.low, FILE_DECIMALS) + 0.0,
        "high": round(difference.high, FILE_DECIMALS) + 0.0,
        "chance": round(comparison.chance, FILE_DECIMALS),
        "real": comparison.real,
        "met": comparison.met,
        "forfeits": forfeits,
        "opponent_forfeits": opponent_forfeits,
        "head_to_head": rows,
    }


def _forfeits(league: "Results", bot: str) -> tuple[int, int]:
    """Return the number of matches in which a bot was at fault, and of its matches.

    A bot may be worse by crashes alone.
    """
    standing = next(standing for standing in league.standings if standing.bot == bot)
    return standing.forfeits, standing.matches


def _print(
    comparison: "BotComparison",
    rows: list[dict[str, Any]],
    first: str,
    second: str,
) -> None:
    """Print a row for each board and the roles of both bots, then the sentences.

    On boards for one bot, each bot plays by itself.
    """
    column = HEAD_TO_HEAD["difference"]
    cells: list[tuple[object, ...]] = []
    for row in rows:
        roles = row["role"]
        if row["role"] != row["opponent_role"]:
            roles = f"{row['role']}, {row['opponent_role']}"
        difference = column.text(row["difference"], "+")
        difference = difference.rjust(len("difference"))
        matches = f"{row['matches']} + {row['opponent_matches']}"
        cells_of_row = (
            row["board"],
            roles,
            row["score"],
            row["opponent_score"],
            difference,
            matches,
        )
        cells.append(cells_of_row)
    if cells:
        score = replace(HEAD_TO_HEAD["score"], name=first)
        opponent_score = replace(HEAD_TO_HEAD["opponent_score"], name=second)
        headers = ("board", "role", score, opponent_score, "difference", "matches of each")
        output.print_table(output.make_table(headers, cells))
    for sentence in _sentences(comparison, first, second, never_met=not rows):
        print(sentence)


def _digests(
    read: "Results",
    names: tuple[str, str],
) -> dict[str, str | None]:
    """Return the digest of the version with each name; None for a version that never played.

    A name without a version means the version that plays now.
    """
    numbers = workspace.version_numbers()
    digests: dict[str, str | None] = {bot.name: bot.digest for bot in read.event.bots}
    for name in names:
        bot, at, version = name.rpartition("@")
        if not at:
            continue
        digests[name] = None
        for span in read.archive.spans():
            if span.bot != bot:
                continue
            number = str(numbers.get(span.digest, ""))
            if version == number or _is_digest(version, span.digest):
                digests[name] = span.digest
    return {name: digests.get(name) for name in names}


def _is_digest(digits: str, digest: str) -> bool:
    return len(digits) >= workspace.FEWEST_DIGITS and digest.startswith(digits)


def _duel_of(bot: str, opponent: str) -> str | None:
    """Return the name of the event of a duel of these two, if there was one here."""
    for event in (f"duel-{bot}-{opponent}", f"duel-{opponent}-{bot}"):
        folder = paths.results_folder(Path(), event)
        if (folder / paths.EVENT_FILE).is_file():
            return event
    return None


def _refuse_absent(read: "Results", digests: dict[str, str | None]) -> None:
    """Raise ArenaError if one of these versions never played in the event.

    Where both are here, the line has the command that plays them.
    """
    missing = [name for name, digest in digests.items() if digest is None]
    if not missing:
        return
    first, second = digests
    numbers = workspace.version_numbers()
    bot = missing[0].rpartition("@")[0]
    known: list[str] = []
    for span in read.archive.spans():
        if span.bot == bot:
            version = numbers.get(span.digest, span.digest[:6])
            known.append(f"{bot}@{version}")
    hint = "no version of it played"
    if known:
        hint = f"it has {', '.join(known)}"
    words = f"{missing[0]}: no such version played; {hint}"
    if _are_here(first, second):
        words += f"; they have no results together: `arena duel {first} {second}` plays them"
    raise ArenaError(output.safe_line(words))


def _are_here(*names: str) -> bool:
    """Return whether the workspace here has all bots of these names."""
    try:
        for name in names:
            workspace.entrant_named(name)
    except ArenaError:
        return False
    return True


def _version_label(names: set[str], name: str, digest: str | None) -> str:
    """Return the name of a version in tables with `names`.

    `ada@1` is `ada v1`, the digest `ada@3a9198` is `ada 3a9198`, and the only version is `ada`.
    """
    bot = name.rpartition("@")[0] or name
    digits = digest or ""
    number = workspace.version_numbers().get(digits)
    for label in (f"{bot} v{number}", f"{bot} {digits[:6]}"):
        if label in names:
            return label
    return bot


def _sentences(
    comparison: "BotComparison",
    first: str,
    second: str,
    *,
    never_met: bool,
) -> Iterator[str]:
    """Yield sentences on the two bots, by the ratings of all matches."""
    difference = comparison.difference
    chance = comparison.chance
    column = LEADERBOARD.rated_in(comparison.unit)["rating"]
    low = column.text(difference.low, "+")
    high = column.text(difference.high, "+")
    interval = interval_text(low, high)
    direction = "below"
    if round(difference.value, column.decimals) >= 0:
        direction = "above"
    distance = f"{column.text(abs(difference.value))} {comparison.unit}"
    yield (
        f"by all their matches, also with other bots, {first} is rated {distance} {direction} "
        f"{second} (95 % interval of the difference {interval})"
    )

    percent = f"{100 * chance:.1f} %"
    if chance > MOST_CERTAIN:
        percent = "over 99.9 %"
    elif chance < 1 - MOST_CERTAIN:
        percent = "under 0.1 %"
    yield f"chance that {first} is better: {percent}"
    if comparison.expected_score is not None:
        score = f"{comparison.expected_score:.0f} of 100"
        yield f"where no role is easier, {first} is expected to score {score} against {second}"

    if not comparison.tied:
        yield "They never met, not even through others: nothing can be said of the difference."
        return
    if not comparison.share_board:
        yield (
            f"{first} and {second} share no board, so they never meet: this compares how far each "
            "stands above others, through bots that play both."
        )
    elif never_met:
        yield "They never met: this is known through others only."
    if comparison.real:
        if difference.value > 0:
            better, worse = first, second
        else:
            better, worse = second, first
        yield f"With 95 % confidence, {better} is better than {worse}."
    else:
        yield (
            "Which of the two is better is not proven: the 95 % interval of the difference begins "
            "below 0 and ends above it."
        )
