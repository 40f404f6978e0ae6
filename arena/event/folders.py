"""The names of the files and folders of a workspace."""

from pathlib import Path

TOURNAMENT_FILE = "tournament.toml"
EVENT_FILE = "event.sqlite"
COMMITMENT_FILE = "commitment.json"
"""In the results of an event of which digests were published before its first match."""
BUILDS, SAMPLED_BOARDS = ".builds", ".boards"
"""Folders under results/: the bots that a workspace built, by digest, and the boards that it drew for its events."""


def results_folder(workspace: Path, name: str) -> Path:
    """Return the folder of the results of the event with this name."""
    return workspace / "results" / name
