"""An event through a server that nobody here wrote: LiteLLM's proxy, with mock answers."""

import contextlib
import os
import secrets
import shutil
import socket
import sqlite3
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.results.archive import Archive
from tests.extras.models import kills_of_runs
from tests.extras.models.test_models import calls_in
from tests.extras.models.test_several_models import (
    assert_new_matches_are_of,
    edit,
    ids,
    run,
    served,
    two_by_two,
)
from tests.support import events
from tests.support.processes import until

LITELLM = shutil.which("litellm")
KEY = f"sk-{secrets.token_hex(24)}"
CONFIG = """\
model_list:
  - model_name: gpt-1
    litellm_params: {model: openai/gpt-1, api_key: none, mock_response: '{"move": "run"}'}
  - model_name: qwen-1
    litellm_params: {model: openai/qwen-1, api_key: none, mock_response: I would rather walk.}
  - model_name: limited-1
    litellm_params: {model: openai/limited-1, api_key: none, mock_response: litellm.RateLimitError}
general_settings: {master_key: SECRET}
"""


@contextlib.contextmanager
def proxy(folder: Path) -> Iterator[str]:
    """Run the proxy; yield its address."""
    folder.mkdir()
    (folder / "config.yaml").write_text(CONFIG.replace("SECRET", KEY))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [LITELLM, "--config", "config.yaml", "--host", "127.0.0.1", "--port", str(port)]
    variables = os.environ | {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(words, cwd=folder, stdout=log, stderr=log, env=variables)
    try:
        address = f"http://127.0.0.1:{port}"

        def lives() -> bool:
            with contextlib.suppress(OSError):
                return urllib.request.urlopen(f"{address}/health/liveliness").status == 200
            return False

        assert until(lives, 120), (folder / "log").read_text()[-2000:]
        yield f"{address}/v1"
    finally:
        process.kill()
        process.wait()


@pytest.mark.soak
@pytest.mark.skipif(LITELLM is None, reason="needs the program litellm: litellm[proxy]")
def test_an_event_through_litellm_is_killed_and_played_again_from_its_tape(tmp_path):
    key_file = tmp_path / "key"
    key_file.touch(0o600)
    key_file.write_text(KEY)
    with proxy(tmp_path / "proxy") as url:
        lines = f'url = "{url}"\nkey_file = "{key_file}"'
        folder = two_by_two(tmp_path / "w", lines, repeats=2)
        for prompt in (folder / "prompts").glob("*/prompt.md"):
            prompt.write_text(f"---\nfallback: first\n---\n{prompt.read_text()}")
        event = events.event_of(folder)
        results = folder / "results" / "cup"
        Archive.make(results)
        kills_of_runs.play(event, results, TapedCalls(results), served(folder), kills=10)
        assert run(folder).complete
        tables = events.tables(results)
        assert len(calls_in(results)) == tape_size(results)
        before = ids(results)
        edit(folder, "temperature = 0.5", "temperature = 0.7")
        assert run(folder).complete
        after = ids(results)
        assert_new_matches_are_of("gpt", before, after)
        edit(folder, "temperature = 0.7", "temperature = 0.5")
        edit(folder, 'name = "gpt-1"', 'name = "limited-1"\npatience = 1')
        edit(folder, 'name = "cup"', 'name = "limited"')
        begun = time.monotonic()
        with pytest.raises(ArenaError, match=r"waited 1 s \(`patience`\): HTTP 429: litellm.Rate"):
            run(folder, "results/limited")
        assert time.monotonic() - begun > 1
        edit(folder, 'name = "limited-1"\npatience = 1', 'name = "no-such-model"')
        with pytest.raises(ArenaError, match=r"models.gpt.url: HTTP 40\d: .*no-such-model"):
            run(folder, "results/limited")
    edit(folder, 'name = "no-such-model"', 'name = "gpt-1"')
    edit(folder, 'name = "limited"', 'name = "again"')
    edit(folder, lines, 'provider = "tape"\ntapes = ["cup"]')
    assert run(folder, "results/again").complete  # the proxy has ended
    assert events.tables(folder / "results" / "again") == tables


class TapedCalls:
    """The calls that an event has paid for, which are the answers on its tape."""

    def __init__(self, results: Path) -> None:
        self._results = results

    @property
    def value(self) -> int:
        return tape_size(self._results)


def tape_size(results: Path) -> int:
    """Return the number of answers on the tape of an event."""
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(sqlite3.connect(results / "tape.sqlite")) as tape,
    ):
        return tape.execute("select count(*) from calls").fetchone()[0]
    return 0
