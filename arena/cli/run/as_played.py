"""The tournament.toml as it was played, which is kept beside the results."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena import whole_files
from arena.cli import output, paths
from arena.cli.command_line import command_line
from arena.cli.run.planned import PlannedRun
from arena.errors import writing


def changed_text(run: PlannedRun) -> str:
    """Return a tournament.toml with the changes of the command line."""
    from arena.event.config import extended

    table = run.tournament.model_dump()
    table["boards"] = [board.label for board in run.event.boards]
    left_out = (None, ())
    stated = {key: value for key, value in table.items() if value not in left_out}
    for name, added in run.tournament.added.items():
        added_type = type(added)
        # Keys that were left out have no word for it.
        if extended.may_be_absent(added_type) or added_type.inner() is not None:
            stated[name] = added.model_dump(exclude_unset=True)
    command = output.safe_line(command_line(), 1000)
    return f"# As played by: {command}\n{toml(stated)}"


def toml(table: Mapping[str, Any]) -> str:
    """Return the text of a tournament.toml.

    None is `"none"` in a table, and left out of the tables of a list.
    """
    import tomli_w

    plain_table = {key: _plain(value) for key, value in table.items()}
    return tomli_w.dumps(plain_table)


def _plain(value: object) -> object:
    """Return a value as TOML can hold it."""
    if value is None:
        return "none"
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if not isinstance(value, (list, tuple)):
        return value
    items: list[object] = []
    for item in value:
        if isinstance(item, Mapping):
            stated = {key: inner for key, inner in item.items() if inner is not None}
            items.append(_plain(stated))
        else:
            items.append(_plain(item))
    return items


def store(folder: Path, text: str, *, secret: bool) -> None:
    """Write the tournament.toml of a run beside its results, unless the file has this text.

    With a `secret` in it only its owner may read it.
    """
    path = folder / paths.TOURNAMENT_FILE
    content = text.encode("utf-8")
    mode = whole_files.SHARED
    if secret:
        mode = whole_files.PRIVATE
    with writing(path):
        is_stored = path.is_file() and path.read_bytes() == content
        if not is_stored:
            whole_files.write(path, content, mode)
