"""`[climb] door = "http"`: published agents climb unpatched, in a network of their own."""

import functools
import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from arena.author.submissions.bot_store import BotStore
from arena.errors import ArenaError
from arena.extras.climb.agent import refuse_private
from arena.extras.models import verbatim
from arena.sandbox import own_network
from tests.extras.climb import vendors
from tests.extras.climb.test_climb import BEGINNER, KEY, SECRET, agent, climb, edits, workspace
from tests.extras.models import providers
from tests.support.cup import processes_in, refused

pytestmark = pytest.mark.skipif(bool(own_network.refusal()), reason="no network of one's own here")
ABSTRACT = f"arena-test-{os.getpid()}"
MINI = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


def door(url: str, more: str = "") -> str:
    return f'[model]\nname = "m"\nurl = "{url}"\n{more}[climb]\ndoor = "http"\n'


@pytest.fixture(
    scope="module", params=["landlock", pytest.param("bubblewrap", marks=pytest.mark.soak)]
)
def intruded(request, tmp_path_factory):
    """A workspace in which an agent tried what a network of its own might allow."""
    home = tmp_path_factory.mktemp("http")
    (home / "key").write_text(f"{KEY}\n")
    (home / "key").chmod(0o600)
    with socket.create_server(("127.0.0.1", 0)) as other, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind("\0" + ABSTRACT + request.param)
        abstract.listen()
        with providers.serving(vendors.scripted(["true"])) as server:
            table = door(server.url, f'key_file = "{home / "key"}"\n')
            folder = workspace(home / "w", table, ada=BEGINNER)
            words = (folder, other.getsockname()[1], ABSTRACT + request.param)
            climbing = ("ada", "--agent", agent("intruder", *words), "--rounds", "1")
            climbing += ("--sandbox", request.param)
            done = climb(folder, *climbing)
            if "cannot be had here" in done.stderr:
                pytest.skip(done.stderr)
            assert done.returncode == 0, done.stderr
            assert server.calls.value == 3
    return folder, climbing


def test_an_agent_with_a_network_of_its_own_gets_nothing_by_it(intruded):
    folder, _ = intruded
    version = BotStore(folder / "bots").versions("ada")[-1]
    notes = json.loads(version.path.read_text().partition("# {")[2].join(("{", "")))
    assert notes["tried"] > 80
    assert notes["loot"] == []
    assert [answer[:12] for answer in notes["answers"]] == [""] * 5
    statuses = [status for status, _ in notes["said"]]
    assert statuses == [200, 404, 404, 404, 400, 200, 200, 200, 200, 403, 404]
    chat, message, response = (text for _, text in notes["said"][6:9])
    assert '"tool_calls"' in chat
    assert chat.endswith("data: [DONE]\n\n")
    assert "event: content_block_delta" in message
    assert "event: response.completed" in response
    assert KEY not in json.dumps(notes)
    assert SECRET not in json.dumps(notes)
    assert notes["variables"]["HOME"] == "/mnt/scratch"
    assert "OPENAI_BASE_URL" in notes["readme"]
    assert "You have no network" not in notes["readme"]
    assert not list(processes_in(folder))
    for path in folder.rglob("*"):
        assert path.is_dir() or KEY.encode() not in path.read_bytes(), path


def test_its_calls_are_counted_and_its_output_is_kept(intruded):
    folder, _ = intruded
    (row,) = edits(folder)
    assert (row["outcome"], row["calls"], row["tokens"]) == ("promoted", 3, 3 * 120)
    assert (folder / "results/climb-ada/agents/ada-1.log").read_text() == "all of this is kept\n"


@pytest.mark.soak
def test_it_is_played_again_from_its_tape_without_the_provider(intruded, tmp_path):
    folder, climbing = intruded
    again = workspace(tmp_path / "w", door("http://127.0.0.1:9/v1"), ada=BEGINNER)
    (again / "results/climb-ada").mkdir(parents=True)
    for path in (folder / "results/climb-ada").glob("tape.sqlite*"):
        shutil.copy(path, again / "results/climb-ada")
    table = (again / "tournament.toml").read_text().replace("[climb]", 'provider = "tape"\n[climb]')
    (again / "tournament.toml").write_text(table)
    done = climb(again, *climbing)
    assert done.returncode == 0, done.stderr
    assert edits(again)[0]["tokens"] == edits(folder)[0]["tokens"]


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("id 123e4567-e89b-12d3-a456-426614174000.", "id *."),
        ("at 2026-11-29T16:00:20.5Z and 2026-11-29 14:00", "at * and *"),
        ("Sun Nov 29 17:58:18 UTC 2026", "*"),
        ("Sun Nov  1 05:58:18 PM UTC 2026", "*"),
        ("Date: Sun, 29 Nov 2026 17:58:18 GMT", "Date: *"),
        ("Today is Sunday, November 29, 2026.", "Today is *."),
        ("-rw-r--r-- 1 1001 407 Nov 29 17:57 ada", "-rw-r--r-- 1 1001 407 * ada"),
        ("-rw-r--r-- 1 1001 407 May  3  2024 ada", "-rw-r--r-- 1 1001 407 * ada"),
        ("[17:58:18] step 3", "[*] step 3"),
        ("Exit Code: 0, Process Group PGID: 1935", "Exit Code: 0, Process Group *"),
        ("rapid 1935 and 1935", "rapid 1935 and 1935"),
        ("/mnt/scratch/tmp.diU8oR5YrX/a, /tmp/tmpab1_xy9z", "*/a, *"),
        ("SKILL=2 of 2026", "SKILL=2 of 2026"),
        ("it may 12:3 or sit 10:20", "it may 12:3 or sit 10:20"),
        ("decide 5 in March", "decide 5 in March"),
        ("/mnt/bot/tmpl and /tmp/tmp", "/mnt/bot/tmpl and /tmp/tmp"),
    ],
)
def test_what_differs_between_two_runs_is_no_part_of_a_key(text, masked):
    assert verbatim.PASSING.sub("*", text) == masked


def test_a_folder_of_an_agent_shows_no_private_file(tmp_path):
    (tmp_path / "w/bots").mkdir(parents=True)
    (tmp_path / "tool").mkdir()
    refuse_private([tmp_path / "tool"], [tmp_path / "w/bots"])
    for folder, words in (
        ("w", "an agent could read"),
        ("w/bots", "could read"),
        ("no", "no such"),
    ):
        with pytest.raises(ArenaError, match=words):
            refuse_private([tmp_path / folder], [tmp_path / "w/bots"])


def test_without_namespaces_one_line_says_so(tmp_path, monkeypatch):
    folder = workspace(tmp_path / "w", door("http://127.0.0.1:9/v1"))
    monkeypatch.setattr(own_network, "refusal", lambda: "Operation not permitted")
    done = climb(folder, "ada", "--agent", "true", "--rounds", "1")
    assert refused(done, "no agent gets a network of its own here (Operation not permitted)")


@functools.cache
def installed(folder: Path) -> bool:
    """Install mini-swe-agent for a Python that every user can run; False where it cannot be had."""
    python = shutil.which("python3", path="/usr/bin")
    if python is None:
        return False
    site = folder / "lib"
    words = [sys.executable, "-m", "pip", "install", "-q", "--target", site, "mini-swe-agent"]
    return subprocess.run(words, capture_output=True, check=False, timeout=900).returncode == 0


def improves_by_two_edits(
    tmp_path: Path, words: str, tool: Path, last: tuple[str, ...] = ()
) -> None:
    """Let an agent, whose program is in the folder `tool`, do what a provider scripts.

    Then climb again without the provider, from the tape.
    """
    for path in (tmp_path, *tmp_path.parents[:2], *tool.rglob("*")):
        path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
    steps = ["sed -i s/SKILL=-4/SKILL=-2/ ada", "sed -i s/SKILL=-2/SKILL=4/ ada", *last]
    climbing = ("ada", "--agent", words, "--agent-reads", str(tool), "--rounds", "1")
    with providers.serving(vendors.scripted(steps)) as server:
        folder = workspace(tmp_path / "w", door(server.url), ada=BEGINNER)
        done = climb(folder, *climbing)
        assert done.returncode == 0, done.stderr
        assert server.calls.value == 3, done.stderr
    log = (folder / "results/climb-ada/agents/ada-1.log").read_text()
    assert edits(folder)[0]["outcome"] == "promoted", log
    assert "SKILL=4" in (folder / "bots/ada").read_text()
    again = workspace(tmp_path / "again", door(server.url, 'provider = "tape"\n'), ada=BEGINNER)
    (again / "results/climb-ada").mkdir(parents=True)
    for path in (folder / "results/climb-ada").glob("tape.sqlite*"):
        shutil.copy(path, again / "results/climb-ada")
    done = climb(again, *climbing)
    assert done.returncode == 0, done.stderr
    assert edits(again) == edits(folder)


@pytest.mark.soak
@pytest.mark.timeout(1200)  # it installs about 60 packages
def test_mini_swe_agent_unpatched_improves_a_bot_by_two_edits(tmp_path):
    if not installed(tmp_path / "mini"):
        pytest.skip("mini-swe-agent cannot be installed here: it needs pip and a registry")
    (tmp_path / "mini/run.py").write_text(
        f"import sys\nsys.path.insert(0, {str(tmp_path / 'mini/lib')!r})\n"
        "from minisweagent.run.mini import app\napp()\n"
    )
    variables = "env MSWEA_CONFIGURED=true MSWEA_COST_TRACKING=ignore_errors"
    program = shlex.join(["/usr/bin/python3", str(tmp_path / "mini/run.py")])
    words = f"{variables} {program} -m openai/any -y --exit-immediately -t 'Improve the bot.'"
    improves_by_two_edits(tmp_path, words, tmp_path / "mini", (MINI,))


CODEX = (
    "exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox -m any "
    "-c web_search=disabled -c model_provider=arena -c 'model_providers.arena="
    '{name="arena",base_url="http://127.0.0.1:8000/v1",env_key="OPENAI_API_KEY"}\' '
    "'Improve the bot.'"
)


@pytest.mark.soak
@pytest.mark.timeout(1200)  # it installs 400 MB
def test_codex_unpatched_improves_a_bot_by_two_edits(tmp_path):
    tool = tmp_path / "codex"
    tool.mkdir()
    cache = str(tmp_path / "cache")
    words = ["npm", "install", "--cache", cache, "--no-audit", "--no-fund", "@openai/codex"]
    if shutil.which("npm") is None or subprocess.run(words, cwd=tool, check=False).returncode:
        pytest.skip("codex cannot be installed here: it needs npm and a registry")
    improves_by_two_edits(tmp_path, f"{tool / 'node_modules/.bin/codex'} {CODEX}", tool)
