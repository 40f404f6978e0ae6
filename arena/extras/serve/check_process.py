"""The process that decides the waiting uploads as `arena submit` does; the server starts it."""

from pathlib import Path

from arena import exits, workspace
from arena.extras.serve import uploads
from arena.extras.serve.accounts import Accounts


def check() -> None:
    """Decide the uploads of the workspace here."""
    accounts = Accounts(Path.cwd())
    tournament = workspace.own_tournament()
    examine = workspace.screening(tournament).faults
    uploads.decide_all(accounts, workspace.bot_store(tournament), examine, tournament.table_bots)


if __name__ == "__main__":
    exits.run(check)
