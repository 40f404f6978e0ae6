"""The names of the files and folders of a workspace."""

from pathlib import Path

TOURNAMENT_FILE = "tournament.toml"
EVENT_FILE = "event.sqlite"
COMMITMENT_FILE = "commitment.json"
"""It is in the results of an event whose digests were published before its first match."""
BUILDS = ".builds"
"""The folder under results/ of the bots that a workspace built, by digest."""
SAMPLED_BOARDS = ".boards"
"""The folder under results/ of the boards that a workspace drew for its events."""


def results_folder(workspace: Path, name: str) -> Path:
    """Return the folder of the results of the event with this name."""
    return workspace / "results" / name
