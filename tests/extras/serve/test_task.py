"""The page of the task: all that a newcomer needs, and nothing that is a secret."""

import io
import json
import re
import zipfile

import pytest

from arena.extras.serve import actions
from arena.extras.serve.accounts import Accounts
from arena.games import rulebook
from tests.extras.serve.served import served
from tests.support import cup, workspaces

KEYS = {
    "seed": "0123456789abcdef" * 2,
    "time": {"move": 0.75, "bank": 3},
    "limits": {"cpu": 7},
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    folder = tmp_path_factory.mktemp("task") / "ws"
    return workspaces.make(
        folder, boards="mummy_maze/hunt mummy_maze/tricky:2 goofspiel/five", **KEYS
    )


@pytest.fixture(scope="module")
def site(workspace):
    with served(workspace) as client:
        yield client


@pytest.fixture(scope="module")
def page(site):
    answer = site.get("/task")
    assert answer.status_code == 200
    return answer.text


def test_the_task_has_rules_boards_limits_and_a_dialogue_of_the_event(page):
    assert "<h2>mummy_maze</h2>" in page
    assert "<h2>goofspiel</h2>" in page
    assert "The start of mummy_maze/hunt" in page
    assert re.search(r"seconds for an answer</th><td>0\.75<", page)
    assert re.search(r"CPU seconds of a bot in a match</th><td>7<", page)
    dialogue = re.search(r'<pre class="dialogue".*?</pre>', page, re.DOTALL)[0]
    assert "<strong>ready</strong>" in dialogue
    assert re.search(r"legal (move1 \w+)\n(?:.*\n)*<strong>move1 \w+</strong>", dialogue)


def test_a_sentence_of_the_rules_over_two_lines_stays_in_one_paragraph(page):
    section = page[page.index("<h2>mummy_maze</h2>") : page.index('<div class="boards">')]
    paragraphs = re.findall(r"<p>(.*?)</p>", section)
    assert len(paragraphs) > 5
    for paragraph in paragraphs:
        assert paragraph.endswith("."), paragraph


def test_the_dialogue_leaves_out_no_single_line_for_a_line_about_it(page):
    dialogue = re.search(r'<pre class="dialogue".*?</pre>', page, re.DOTALL)[0]
    left_out = re.findall(r"^\.\.\. (\d+) more lines that begin with ", dialogue, re.MULTILINE)
    assert min(map(int, left_out)) > 1


def test_a_sampled_board_of_the_event_is_no_example(workspace, page, site):
    assert page.count("This board is an example: the event plays others like it.") == 1
    picture = site.get("/task/boards/mummy_maze/tricky.svg")
    assert picture.headers["content-type"].startswith("image/svg+xml")
    (board,) = rulebook.find("mummy_maze/tricky:2", workspace, KEYS["seed"])
    examples = {json.dumps(json.loads(sampled), sort_keys=True) for sampled in board.sampled}
    from arena.event import config
    from arena.extras.serve.task import _boards

    shown = _boards(workspace, config.load(workspace / "tournament.toml"))
    assert {
        json.dumps(json.loads(text), sort_keys=True) for each in shown for text in each.sampled
    } & examples == set()
    assert KEYS["seed"] not in page


def test_each_kit_is_a_bot_that_is_fit_to_play(site, workspace, tmp_path):
    kits = re.findall(r'href="(/task/kits/[^"]+\.zip)"', site.get("/task").text)
    assert "/task/kits/python.zip" in kits
    assert len(kits) > 5
    content = site.get("/task/kits/python.zip").content
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        packed.extractall(tmp_path)
    assert 'games = ["mummy_maze", "goofspiel"]' in (tmp_path / "mybot/bot.toml").read_text()
    checked = cup.arena(workspace, "check", str(tmp_path / "mybot"))
    assert checked.returncode == 0, checked.stdout
    assert site.get("/task/kits/cobol.zip").status_code == 404
    assert site.get("/task/boards/mummy_maze/duel.svg").status_code == 404


def test_the_club_has_its_name_and_its_words_on_the_front_page(workspace, site):
    accounts = Accounts(workspace)
    assert actions.act(accounts, "name", ["Chess", "<b>club</b>"], "test")
    actions.act(accounts, "welcome", ["Whoever", "wins", "gets", "a", "cake."], "test")
    front = site.get("/").text
    assert "<h1>Chess &lt;b&gt;club&lt;/b&gt;</h1>" in front
    assert "Whoever wins gets a cake." in front
    actions.act(accounts, "name", ["off"], "test")
    assert "Chess" not in site.get("/").text
    assert ">Events</a>" in site.get("/task").text
    assert cup.refused(cup.arena(workspace, "serve", "name", "x" * 61), "are too many")
