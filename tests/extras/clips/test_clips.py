"""Pictures of matches: what they show, how large they are, and that hostile texts do nothing in
them.
"""

import io
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from arena.cli import stored_match
from arena.cli.results import read
from arena.errors import ArenaError
from arena.games import rulebook
from arena.games.quality import qualities_of
from arena.pictures import canvas, card, pixels, svg
from arena.pictures.match import MOST_FRAMES, Clip
from arena.replay.chances import chances_of
from arena.replay.replayer import scenes
from arena.results.columns import LEADERBOARD
from tests.support import cup, reported, workspaces

TAGS = {"svg", "title", "defs", "g", "use", "rect", "circle", "ellipse", "path", "text", "animate"}
OWN = (
    "mummy_maze/duel",
    "pacman/classic",
    "connect_four/standard",
    "goofspiel/five",
    "kuhn_poker/three_cards",
)


def clip_of(record, *, assessed=False, **changes):
    game = rulebook.game_of(record.match)
    qualities = qualities_of(game, record.turns) if assessed else []
    every = tuple(scenes(game, record.turns, qualities))
    names = {seat.role: seat.bot.name for seat in record.match.seats}
    clip = Clip(game, record, names, every, chances_of(game, record, every) if assessed else None)
    return replace(clip, **changes)


def record_on(board):
    of = reported.event(reported.BOTS[:2], on=rulebook.find(board))
    return reported.played(reported.plan(of)[0])


def texts(content):
    root = ET.fromstring(content)
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= TAGS
    return [element.text for element in root.iter() if element.tag.endswith("text")]


@pytest.mark.parametrize("board", [*OWN, "surround/nine"])
def test_a_clip_shows_names_scores_and_moves_in_both_themes(board):
    record = record_on(board)
    for dark in (False, True):
        clip = clip_of(record, dark=dark)
        last = min(12, len(clip.scenes) - 1)
        film = clip.film(0, last)
        shown = texts(svg.svg(film))
        assert {"amber", "birch", str(max(record.verdict.scores.values()))} <= set(shown)
        assert any(text.startswith(f"Turn {last} of {record.turns[-1].number}: ") for text in shown)
        corner = Image.open(io.BytesIO(pixels.png([film], 1))).convert("L").getpixel((1, 1))
        assert (corner < 60) == dark


@pytest.mark.soak
def test_a_clip_of_a_hundred_turns_is_below_a_megabyte_and_each_turn_is_a_frame():
    film = clip_of(record_on("mummy_maze/duel")).film(0, 30)  # a third of them
    content = pixels.gif(film)
    with Image.open(io.BytesIO(content)) as picture:
        assert (picture.n_frames, picture.size) == (31, (film.width, film.height))
    assert len(content) < 310_000
    assert len(svg.svg(film)) < 310_000


def test_the_turning_points_come_with_their_sentences():
    clip = clip_of(record_on("mummy_maze/duel"), assessed=True)
    found = [each.sentence for each in clip.chances.breaks]
    assert found
    assert [words for _, words in clip.key_turns] == found
    shown = " ".join(texts(svg.svg(clip.key_film())))
    assert all(" ".join(words.split()[:4]) in shown for words in found)
    assert "chance to win (exact)" in shown
    film = clip.key_film()
    with Image.open(io.BytesIO(pixels.png(clip.key_stills(), 1))) as sheet:
        assert sheet.width == film.width * min(4, len(found))
        assert sheet.height >= 300 * -(-len(found) // 4)


def test_a_forfeit_before_the_first_turn_is_a_turning_point():
    record = replace(reported.crashed(record_on("mummy_maze/duel")), turns=())
    clip = clip_of(record, assessed=True)
    assert len(clip.key_film().frames) == len(clip.key_stills()) == 1
    assert any("a forfeit ends the match" in each for each in texts(svg.svg(clip.key_film())))


def test_a_record_that_the_rules_do_not_confirm_has_no_clip_and_no_chances():
    record = record_on("mummy_maze/duel")
    first, second = record.match.seats
    for seats, sides in (
        ((first, replace(second, role="ghost")), record.sides),
        ((first,), record.sides),
        (record.match.seats, ()),
    ):
        other = replace(record, match=replace(record.match, seats=seats), sides=sides)
        game = rulebook.game_of(other.match)
        assert chances_of(game, other, tuple(scenes(game, other.turns))) is None
        with pytest.raises(ArenaError, match="does not agree with the rules"):
            stored_match.confirmed_game(other)
        if sides:
            with pytest.raises(ArenaError, match="its roles are not those"):
                clip_of(other)


def test_hostile_texts_are_texts_in_a_clip(tmp_path):
    of = reported.event(reported.EVIL[:2], on=[*reported.boards("duel"), reported.talk(tmp_path)])
    for match, text in zip(reported.plan(of), reported.EVIL * 2, strict=False):
        record = reported.evil(reported.played(match), text)
        names = {seat.role: f"{seat.bot.name}\ufffe" for seat in record.match.seats}
        clip = clip_of(record, names=names)
        content = svg.svg(clip.film(0, len(clip.scenes) - 1))
        assert any("crashed" in each for each in texts(content))
        assert len(pixels.png([clip.film(0, 0)], 1)) > 1000


def test_more_turns_than_a_clip_may_have_are_refused():
    clip = clip_of(record_on("connect_four/standard"))
    long = replace(clip, scenes=clip.scenes[:1] * (MOST_FRAMES + 1))
    with pytest.raises(ArenaError, match="at most"):
        long.film(0, MOST_FRAMES)


def test_who_has_no_rank_leads_nowhere_and_is_not_counted(tmp_path):
    of = reported.event(reported.BOTS, on=reported.boards("five"))
    plan = reported.plan(of)
    assert card.description(
        read(reported.store(tmp_path / "none", of, []), all_versions=False)
    ) == ("Nothing was played yet.")
    one = read(reported.store(tmp_path / "one", of, [reported.played(plan[0])]), all_versions=False)
    assert re.fullmatch(r"goofspiel: 1\. \w+, [12]\. \w+", card.description(one))
    assert " of 2 " in card.badge(one, plan[0].seats[0].bot.name).title


def test_a_badge_has_the_decimals_of_the_leaderboard(tmp_path):
    of = reported.event(on=reported.boards("five"))
    results = read(
        reported.store(tmp_path, of, map(reported.played, reported.plan(of))), rating="points"
    )
    best = results.leaderboard().iloc[0]
    shown = LEADERBOARD.rated_in(results.unit)["rating"].printed(float(best["rating"]))
    assert "." in shown
    assert card.badge(results, best["bot"]).title.endswith(f" · {shown}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A workspace in which an event was played."""
    folder = workspaces.make(tmp_path_factory.mktemp("clips"), boards="standard")
    cup.run_event(folder)
    return folder


def test_a_card_has_the_leaderboard_and_a_badge_the_rank(folder, tmp_path):
    for words, name, size in (
        (["--card"], "card.png", (1200, 630)),
        (["--badge", "first"], "badge.svg", None),
    ):
        assert cup.arena(folder, "export", *words, "--to", str(tmp_path / name)).returncode == 0
        if size:
            assert Image.open(tmp_path / name).size == size
    shown = texts((tmp_path / "badge.svg").read_bytes())
    assert shown[:2] == ["cup", "first"]
    assert re.fullmatch(r"(connect_four )?#[12] of 2 · \d+", shown[2])
    done = cup.arena(folder, "export", "--badge", "nobody")
    assert (done.returncode, "--badge nobody: it has no rank" in done.stderr) == (2, True)
    done = cup.arena(folder, "export", "--badge", "first", "--dark")
    assert (done.returncode, "--dark goes with --card only" in done.stderr) == (2, True)
    assert cup.arena(folder, "export", "--card", "--dark").stdout == "results/cup/card-dark.png\n"


@pytest.mark.soak
def test_every_command_of_the_page_runs(folder):
    page = (Path(__file__).parents[3] / "docs/extras/clips.md").read_text()
    match = (folder / "results/cup/matches.csv").read_text().split("\n")[1].split(",")[0]
    lines = re.findall(r"^\$ arena (.*)$", page, re.MULTILINE)
    assert len(lines) == 5
    for line in lines:
        done = cup.arena(folder, *line.replace("ID", match).replace("BOT", "first").split())
        assert done.returncode == 0, (line, done.stderr)


def test_a_figure_and_its_per_cent_sign_stand_in_one_line():
    for room in range(60, 160):
        lines = canvas.wrapped("the chance of the explorer falls from 25 to 0 %", 12, room, 9)
        assert not any(line.startswith("%") for line in lines)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["-o", "match.bmp"], "must end with"),
        (["--turns", "8-3", "-o", "match.svg"], "--turns 8-3: expected"),
        (["--turns", "1", "--key"], "leave out --turns"),
        (["-o", "match.mp4"], "ffmpeg"),
    ],
)
def test_a_mistake_is_one_line(folder, words, expected):
    match = (folder / "results/cup/matches.csv").read_text().split("\n")[1].split(",")[0]
    done = cup.arena(folder, "clip", match, *words, PATH="/nowhere")
    assert done.returncode == 2
    assert expected in done.stderr
    assert done.stderr.strip().count("\n") == 0
