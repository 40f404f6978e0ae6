"""What a user should know before a run begins, on stderr."""

from arena import workspace
from arena.cli import output, writers
from arena.cli.run.planned import PlannedRun
from arena.event.schedules import round_robin
from arena.values import Event


def name_idle_bots(run: PlannedRun) -> None:
    """Name the bots that play none of the boards, which a mistake in a bot.toml may have caused."""
    playing = {bot.name for bot in run.event.bots}
    idle: list[str] = []
    for bot in run.entrants:
        if bot.name in playing or bot.remote:
            continue
        reason = run.tournament.left_out(bot)
        if not reason:
            idle.append(output.safe_line(bot.name))
        elif run.event.conditions.has_models:
            sentence = output.safe_line(f"{bot.name} {reason}", 500)
            output.notice(f"left out: {sentence}")
    if idle:
        output.notice(f"left out, since they play none of the boards: {', '.join(idle)}")


def name_empty_boards(event: Event) -> None:
    """Name the boards for which there are too few bots."""
    for board in event.boards:
        if round_robin.number_of_seatings(board, event.bots, event.seating):
            continue
        needed = len(round_robin.groups_of(board, event.seating))
        output.notice(
            f"{board.label}: no match, since it needs {needed} different bots that play its "
            "roles; add bots"
        )


def warn(run: PlannedRun) -> None:
    """Warn of what is weak here, and of what the file says or the bots ask for in vain."""
    event = run.event
    workspace.warn_about_confinement(event.conditions)
    writers.warn(event.boards, run.path)
    for bot in event.bots:
        for sentence in run.tournament.unmet_requests(bot):
            output.notice(sentence)

    bot_names = {bot.name for bot in run.entrants}
    absent = sorted(run.tournament.bots_with_settings - bot_names)
    if absent:
        folder = run.tournament.bots
        output.notice(f"[[bot]] {', '.join(absent)}: no bot of this name is in the folder {folder}")
