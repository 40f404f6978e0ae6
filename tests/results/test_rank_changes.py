"""Who rose since the last run with other bots: in the terminal, in the report, and where nothing is
known.
"""

import json
from dataclasses import replace

import pytest

from arena.report import bots, leaderboard
from arena.report.data import Index
from arena.results.archive import Archive
from arena.results.leaderboard import Results
from tests.support import stored, workspaces
from tests.support.cup import arena, run_event
from tests.support.sprint import FIRST

EVENT = stored.event("ann", "bob", "cat", boards=[stored.DUEL], repeats=2)


def played(folder, order, event=EVENT, **digests):
    """Store matches in which the first bot of `order` beats all others, and so on; with these
    versions of bots.
    """
    best = order.split()
    bots = tuple(
        replace(bot, digest=digests.get(bot.name, bot.digest))
        for bot in event.bots
        if bot.name in best
    )
    now = replace(event, bots=bots)

    def scored(match):
        explorer, mummy = (best.index(seat.bot.name) for seat in match.seats)
        return stored.played(
            match, explorer=70 if explorer < mummy else 30, mummy=30 if explorer < mummy else 70
        )

    return Results.open(stored.store(folder, now, map(scored, stored.plan(now))))


def test_bots_rise_fall_and_are_new_since_the_run_before(tmp_path):
    first = played(tmp_path, "ann bob")
    assert first.rank_changes == {}
    first.store_ranks()
    second = played(tmp_path, "cat bob ann", bob="next")
    assert second.rank_changes == {"ann": -2, "bob": 0, "cat": None}
    second.store_ranks()
    assert (
        played(tmp_path, "cat bob ann", bob="next").rank_changes == second.rank_changes
    )  # the same bots again
    assert played(tmp_path, "bob cat ann", bob="third").rank_changes == {
        "ann": 0,
        "bob": 1,
        "cat": -1,
    }


def test_the_terminal_and_the_report_have_a_column_of_the_changes(tmp_path):
    played(tmp_path, "ann bob cat").store_ranks()
    table = leaderboard.leaderboard(results := played(tmp_path, "bob ann cat", bob="next"))
    assert [heading.name for heading in table.columns][:4] == ["rank", "bot", "change", "rating"]
    assert [cells["change"].text for cells in table.rows] == ["\u25b21", "\u25bc1", ""]
    results.close()
    shown = arena(tmp_path, "leaderboard", str(tmp_path)).stdout.splitlines()
    assert shown[0].split()[:3] == ["rank", "bot", "change"]
    assert [line.split()[2] for line in shown[2:4]] == ["\u25b21", "\u25bc1"]
    by_version = arena(tmp_path, "leaderboard", str(tmp_path), "--versions").stdout
    assert "change" not in by_version  # versions side by side have no ranks to compare


def test_json_has_the_changes(tmp_path):
    def shown(*options):
        rows = json.loads(arena(tmp_path, "leaderboard", str(tmp_path), "--json", *options).stdout)
        return {row["bot"]: row["change"] for row in rows}

    first = played(tmp_path, "ann bob")
    first.store_ranks()
    first.close()
    assert shown() == {"ann": None, "bob": None}  # nothing to compare with
    played(tmp_path, "cat bob ann", bob="next").close()
    assert shown() == {"ann": -2, "bob": 0, "cat": "new"}
    assert set(shown("--versions").values()) == {None}


@pytest.mark.parametrize(
    "change",
    [{"boards": (stored.HUNT,)}, {"rating": "points"}],
    ids=["other boards", "another rating"],
)
def test_ranks_of_an_event_that_does_not_compare_are_no_changes(tmp_path, change):
    played(tmp_path, "ann bob cat").store_ranks()
    other = replace(EVENT, **change, bots=EVENT.bots[:2])
    results = Results.open(stored.store(tmp_path, other, map(stored.played, stored.plan(other))))
    assert results.rank_changes == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"now": 3, "before": null}',
        '{"now": {"bots": {}, "ranks": 7}}',
        pytest.param("[" * 200_000, id="too deep"),
    ],
)
def test_a_damaged_file_of_ranks_costs_the_changes_only(tmp_path, text):
    results = played(tmp_path, "ann bob cat")
    (tmp_path / ".ranks.json").write_text(text)
    assert results.rank_changes == {}
    results.store_ranks()
    assert json.loads((tmp_path / ".ranks.json").read_text())["now"]["ranks"] == {
        "ann": 1,
        "bob": 2,
        "cat": 3,
    }


@pytest.mark.parametrize("rank", [True, 1.5, "1", []])
def test_a_rank_that_is_no_whole_number_costs_the_changes_only(tmp_path, rank):
    played(tmp_path, "ann bob").store_ranks()
    stored_ranks = json.loads((tmp_path / ".ranks.json").read_text())
    stored_ranks["now"]["ranks"]["ann"] = rank
    (tmp_path / ".ranks.json").write_text(json.dumps(stored_ranks))
    assert played(tmp_path, "cat bob ann").rank_changes == {}


def test_a_run_shows_who_rose_since_the_run_before(tmp_path):
    nonsense = FIRST.replace('echo "$legal"', "echo nonsense")
    folder = workspaces.make(tmp_path / "ws", {"ada": FIRST, "bob": nonsense})
    assert "change" not in run_event(folder).stdout
    (folder / "bots/ada").write_text(nonsense)
    (folder / "bots/bob").write_text(FIRST)
    lines = run_event(folder).stdout.splitlines()
    assert [line.split()[:3] for line in lines if line.split()[0] in {"1", "2"}] == [
        ["1", "bob", "\u25b21"],
        ["2", "ada", "\u25bc1"],
    ]


def test_a_bots_page_has_its_versions_if_it_has_several(tmp_path):
    played(tmp_path, "ann bob cat")
    results = played(tmp_path, "bob ann cat", bob="f00f00f00")
    with Archive.open(tmp_path) as archive:
        index = Index.of(results)
        pages = dict(zip(index.bots, bots.pages(results, index, archive), strict=True))
    assert [len(pages[bot]["versions"]) for bot in ("ann", "bob", "cat")] == [0, 2, 0]
    (first, *_, before), (second, digest, rank, _, interval, after) = pages["bob"]["versions"]
    assert (first, before, second, digest, rank, after) == ("1", "8", "2", "f00f00", "1", "8")
    assert "above" in interval or " to " in interval
