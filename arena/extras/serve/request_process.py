"""The process that plays the matches of a request, as an unrated duel; the server starts it.

It stores statements about them, and the server shows each statement to the readers who may read it.
"""

import sys
from collections.abc import Callable
from pathlib import Path

from arena import exits, signals, workspace
from arena.errors import ArenaError
from arena.event import duel, duel_words, run_words, tournament
from arena.extras.serve import statements
from arena.extras.serve.accounts import Accounts, MatchRequest
from arena.extras.serve.statements import Statement
from arena.results import folders
from arena.results.sequential import Question, SequentialTest
from arena.streams import notice


def play() -> None:
    """Play the request whose id is the last word of the command line."""
    accounts = Accounts(Path.cwd())
    (request,) = accounts.requests(id=sys.argv[-1])
    try:
        about_matches = _played(request)
    except duel.AbsentError as error:
        about_absentees: list[Statement] = []
        for bot, fault in error.absentees.items():
            one_absentee = duel.AbsentError({bot: fault})
            about_absentees.append(statements.of_error(one_absentee))
        statements.write(accounts.request_file, request.id, about_absentees)
        raise
    except ArenaError as error:
        statements.write(accounts.request_file, request.id, [statements.of_error(error)])
        raise
    statements.write(accounts.request_file, request.id, about_matches)
    for statement in about_matches:
        notice(statement.private or statement.public)


def _played(request: MatchRequest) -> list[Statement]:
    """Play the matches of a request, and return the statements about them."""
    settings = workspace.own_tournament({"name": request.event, "workers.count": 1})
    first = workspace.entrant_named(request.first)
    second = workspace.entrant_named(request.second)
    boards: tuple[str, ...] = ()
    if request.board:
        boards = (request.board,)
    most = ("pairings", request.pairings)
    conditions = workspace.conditions_here(settings)
    sampled_folder = folders.results_folder(Path(), folders.SAMPLED_BOARDS)
    event, notices = duel.prepared(
        settings,
        (first, second),
        request.event,
        most,
        boards,
        conditions,
        sampled_folder,
    )
    workspace.warn_about_confinement(event.conditions)
    statements_of_request = [Statement(public=notice) for notice in notices]

    names = (first.name, second.name)
    test = SequentialTest(Question())
    state = duel.Duel(event, names, test, duel.POINTS)
    folder = folders.results_folder(Path(), event.name)
    audience = duel.DuelAudience(state)
    with signals.listening() as interrupt:
        services = workspace.services(settings, Path())

        def run(is_over: Callable[[], bool]) -> tournament.Progress:
            return tournament.run(
                event,
                folder,
                workers=1,
                audience=audience,
                pin=settings.workers.pinned,
                stopped=is_over,
                services=services,
            )

        done = duel.play(state, folder, audience, lambda: bool(interrupt), run)
        done.refuse_absentees()
    if interrupt and state.test.decision is None:
        raise SystemExit(interrupt.code)

    for abort in done.given_up:
        public = f"match {abort.match} was given up: arena failed to play it {abort.attempt} times"
        statements_of_request.append(Statement(public=public, private=abort.cause))
    reason = run_words.reason(done.phase)
    if reason is not None and not state.is_over:
        statements_of_request.append(Statement(public=reason))
    statements_of_request += [Statement(public=sentence) for sentence in duel_words.report(state)]
    return statements_of_request


if __name__ == "__main__":
    exits.run(play)
