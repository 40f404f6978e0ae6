"""Bots that do not say `ready`, in every schedule: they get no bye, no point and the last place.

First in real runs, then with results that dice decide, in which bots come and go as they never
would in a quick run.
"""

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from arena.event import stopping, tournament
from arena.event.plan import Plan, placings
from arena.event.schedules import knockout, ladder, swiss
from arena.event.schedules._pairings import leagues
from arena.games import rulebook
from arena.replay import verify
from arena.results.archive import Archive
from arena.results.leaderboard import Results
from arena.values import Batch, Ending, Fault, Match, Played, Verdict
from tests.support import events, sprint, stored, workspaces
from tests.support.finished import result_of
from tests.support.paired import DUEL, Run, event, result, strengths

BROKEN = "#!/bin/sh\nexit 3\n"
"""A bot that never says `ready`; `0` is the first of all names, so that no order of names puts it
last."""
GOOD = {name: f"{sprint.DICE}# {name}\n" for name in ("ann", "bob", "cat", "dan")}


def workspace(folder: Path, schedule: str, good: int = 4, **keys: object) -> Path:
    """Make a workspace with bots that throw dice, and a broken one."""
    bots = dict(list(GOOD.items())[:good]) | {"0": BROKEN}
    return workspaces.make(folder, bots, schedule=schedule, **keys)


def table(folder: Path) -> dict[str, dict[str, object]]:
    """Return the rows of the places by bot, best first."""
    with Archive.open(folder / "results") as archive:
        return {row["bot"]: row for row in placings(archive)}


def problems(folder: Path) -> list[verify.Problem]:
    with Archive.open(folder / "results") as archive:
        return verify.checked(archive, rulebook.game_of)[1]


@pytest.mark.parametrize(
    "seed", [0, 1, *[pytest.param(seed, marks=pytest.mark.soak) for seed in range(2, 5)]]
)
def test_in_a_swiss_a_bot_that_never_starts_has_no_bye_and_no_point_and_is_last(tmp_path, seed):
    """Of five bots one plays nothing: four are left, and none of them sits out once it is known to
    be absent.
    """
    folder = workspace(tmp_path / "swiss", "swiss", seed=seed)
    outcome, audience = events.run(folder)
    assert outcome.complete
    assert {*audience.missing} == {"0"}
    rows = table(folder)
    broken = rows.pop("0")
    assert (broken["points"], broken["byes"], broken["won"], broken["place"]) == (0, 0, 0, 5)
    assert all(row["place"] < 5 and row["byes"] <= 1 for row in rows.values())
    rounds = Counter(
        frozenset(seat.bot.name for seat in record.match.seats) for record in audience.records
    )
    assert (
        sum("0" in pair for pair in rounds) == 1
    )  # it is paired once, which shows that it is absent
    assert not problems(folder)


@pytest.mark.parametrize(
    ("seed", "order"),
    [
        (0, ["0"]),
        pytest.param(1, ["ann", "0"], marks=pytest.mark.soak),
        (2, ["ann", "bob", "0"]),
        pytest.param(3, ["0", "bob"], marks=pytest.mark.soak),
        (4, []),
    ],
)
def test_in_a_knockout_a_bot_that_never_starts_is_behind_all_that_played(tmp_path, seed, order):
    folder = workspace(tmp_path / "knockout", "knockout", good=2, seed=seed, seed_order=order)
    outcome, _ = events.run(folder)
    assert outcome.complete
    rows = table(folder)
    broken = rows.pop("0")
    assert (broken["points"], broken["byes"], broken["won"], broken["place"]) == (0, 0, 0, 3)
    assert sorted(row["place"] for row in rows.values()) == [1, 2]
    assert not problems(folder)


def test_a_ladder_pairs_a_bot_that_never_starts_no_more(tmp_path):
    folder = workspace(tmp_path / "ladder", "ladder", rounds=3)
    outcome, audience = events.run(folder)
    assert outcome.complete
    assert len(audience.records) == 3 * 8 * 2
    with Archive.open(folder / "results") as archive:
        numbers = archive.numbers()
    last = max(
        numbers[record.match.id] for record in audience.records if "0" in names(record.match)
    )
    assert last <= 2 * 8 * 2  # the third batch is the first that knows results
    assert ranks(folder)["0"] == 5
    assert not problems(folder)


def names(match: Match) -> set[str]:
    return {seat.bot.name for seat in match.seats}


def ranks(folder: Path) -> dict[str, int]:
    results = Results.open(folder / "results")
    frame = results.leaderboard()
    results.close()
    return dict(zip(frame["bot"], frame["rank"], strict=True))


@pytest.mark.parametrize(
    ("schedule", "keys"), [("round_robin", {}), ("gauntlet", {"references": ["strong"]})]
)
def test_who_played_and_scored_nothing_is_ranked_above_who_never_started(tmp_path, schedule, keys):
    """The weak bot loses every match that is played; in a gauntlet both have 0 points."""
    bots = {"0": BROKEN, "00": f"{BROKEN}# more\n", "strong": sprint.LAST, "weak": sprint.FIRST}
    folder = workspaces.make(tmp_path / "cup", bots, schedule=schedule, **keys)
    events.run(folder)
    assert ranks(folder) == {"strong": 1, "weak": 2, "0": 3, "00": 3}
    results = Results.open(folder / "results")
    on_boards = results.rankings()
    results.close()
    for _, ranking in on_boards.groupby(["board", "role"], dropna=False):
        assert [*ranking["bot"]][-2:] == ["0", "00"]
        assert [*ranking["rank"]][-2:] == [3, 3]


@pytest.mark.soak
@pytest.mark.parametrize(("schedule", "good"), [("swiss", 4), ("knockout", 2)])
def test_an_event_that_is_cut_anywhere_goes_on_with_the_same_pairings(tmp_path, schedule, good):
    whole, cut = (
        workspace(tmp_path / name, schedule, good, seed_order=["0"]) for name in ("whole", "cut")
    )
    events.run(whole)
    for _ in range(40):
        audience = events.Audience()
        outcome = tournament.run(
            events.event_of(cut),
            cut / "results",
            workers=1,
            audience=audience,
            stopped=lambda audience=audience: len(audience.records) >= 3,
        )
        if outcome.complete:
            break
    with Archive.open(whole / "results") as one, Archive.open(cut / "results") as other:
        assert one.ids() == other.ids()
        assert placings(one) == placings(other)


def test_a_bot_that_was_mended_is_paired_again_in_the_next_run(tmp_path):
    """It has another digest, so its matches are other matches; those that it forfeited do not count
    any more.
    """
    folder = workspace(tmp_path / "swiss", "swiss", good=2, seed_order=["0"])
    events.run(folder)
    assert table(folder)["0"]["place"] == 3
    (folder / "bots" / "0").write_text(sprint.LAST)
    events.run(folder)
    assert table(folder)["0"]["place"] == 1
    assert not problems(folder)


@pytest.mark.parametrize("schedule", ["swiss", "knockout", "ladder", "round_robin"])
def test_an_event_of_which_no_bot_starts_ends_and_nobody_has_a_point(tmp_path, schedule):
    bots = {f"bad{number}": f"{BROKEN}# {number}\n" for number in range(3)}
    folder = workspaces.make(tmp_path / "cup", bots, schedule=schedule)
    outcome, _ = events.run(folder)
    assert outcome.complete
    for row in table(folder).values():
        assert (row["points"], row["byes"], row["drawn"], row["place"]) == (0, 0, 0, 1)
    with Archive.open(folder / "results") as archive:
        called = {name for match in archive.played() for name in match.seats.values()}
    assert {bot: rank for bot, rank in ranks(folder).items() if bot in called} == dict.fromkeys(
        called, 1
    )
    assert not problems(folder)


# With results that dice decide


def run_with_absences(
    schedule, bots: int, absent: dict[str, int], disk=None, order=0, **more
) -> Run:
    """Play an event in which each bot of `absent` does not start from this batch on."""
    cup = event(schedule.__name__.rpartition(".")[2], bots, **more)
    strength, sides = strengths(cup), {board.label: board.sides for board in cup.boards}

    def play(match: Match):
        batch = next(number for number, matches in enumerate(run.plan) if match in matches)
        seats = {seat.role: seat.bot.name for seat in match.seats}
        missing = {role for role, name in seats.items() if absent.get(name, 99) <= batch}
        if not missing:
            return result(match, sides[match.label], strength)
        scores = {role: 100 * (role not in missing) for role in seats}
        return result_of(match, sides[match.label], scores, turns=0, absent=missing)

    run = Run(cup, schedule, play, disk=disk, order=order)
    return run.go_on()


ABSENCES = [
    {"bot000": 0},
    {"bot004": 0},
    {"bot000": 0, "bot001": 0, "bot002": 0},
    {"bot001": 1},
    {"bot000": 1, "bot003": 0, "bot002": 2},
    {f"bot{number:03}": 0 for number in range(4)},
    {f"bot{number:03}": number % 2 for number in range(9)},
]


def is_absent(match: Played, name: str) -> bool:
    """Return whether a bot said `ready` in no seat of a match."""
    return all(role in match.absent for role, bot in match.seats.items() if bot == name)


def own_matches(batch: Batch, name: str) -> list[Played]:
    return [match for match in batch if name in match.seats.values()]


@pytest.mark.parametrize("bots", [2, 3, 5, 6, 9])
@pytest.mark.parametrize("absent", ABSENCES)
@pytest.mark.parametrize("schedule", [swiss, knockout])
def test_nobody_gains_by_not_coming(schedule, bots, absent):
    run = run_with_absences(schedule, bots, absent)
    ((league, history),) = leagues(run.event, run.batches)
    rows = {row.bot: row for row in schedule.placings(league, history)}
    never = set()
    for name, row in rows.items():
        assert row.points == row.won + Fraction(row.drawn, 2) + row.byes
        matches = [own_matches(batch, name) for batch in history]
        missed = [bool(own) and all(is_absent(match, name) for match in own) for own in matches]
        if any(missed):
            assert not any(matches[missed.index(True) + 1 :])  # it is paired no more
        if all(is_absent(match, name) for own in matches for match in own):
            never.add(name)
            assert row.points == 0
    assert {rows[name].place for name in never} <= {len(rows) - len(never) + 1}
    assert all(rows[name].place <= len(rows) - len(never) for name in rows.keys() - never)


@pytest.mark.parametrize("schedule", [swiss, knockout, ladder])
@pytest.mark.parametrize("absent", ABSENCES)
def test_absences_are_found_again_on_disk(schedule, absent):
    """Any part of the results, in any order, leads to the same matches."""
    whole = run_with_absences(schedule, 9, absent)
    some = dict(random.Random(3).sample([*whole.disk.items()], len(whole.disk) // 2))
    assert run_with_absences(schedule, 9, absent, disk=some, order=7).ids == whole.ids


def test_a_bot_that_stays_away_later_keeps_its_points_and_has_no_bye_after_that():
    run = run_with_absences(swiss, 5, {"bot000": 1}, rounds=4)
    ((league, history),) = leagues(run.event, run.batches)
    before, after = (
        {row.bot: row for row in swiss.placings(league, played)}
        for played in (history[:1], history)
    )
    assert len(history) == 4
    assert after["bot000"].points == before["bot000"].points
    assert after["bot000"].byes == 0


def test_a_point_without_play_counts_as_a_bye_for_who_has_the_next_one():
    """Of six bots one never comes, so that five are left for four rounds; each of the other four
    sits out once.
    """
    run = run_with_absences(swiss, 6, {"bot000": 0}, rounds=5)
    ((league, history),) = leagues(run.event, run.batches)
    rows = {row.bot: row.byes for row in swiss.placings(league, history)}
    assert rows == {"bot000": 0, "bot001": 1, "bot002": 1, "bot003": 0, "bot004": 1, "bot005": 1}


def test_in_buchholz_a_bot_that_met_nobody_has_its_own_points_for_that_round():
    run = run_with_absences(swiss, 2, {"bot001": 0})
    ((league, history),) = leagues(run.event, run.batches)
    assert [(row.points, row.buchholz) for row in swiss.placings(league, history)] == [
        (1, 1),
        (0, 0),
    ]


@pytest.mark.parametrize("schedule", [swiss, knockout])
def test_where_neither_bot_comes_both_have_lost(schedule):
    run = run_with_absences(schedule, 4, {"bot000": 0, "bot002": 0, "bot003": 0})
    ((league, history),) = leagues(run.event, run.batches)
    rows = {
        row.bot: (row.place, row.points, row.drawn, row.lost)
        for row in schedule.placings(league, history)
    }
    assert rows.pop("bot001")[0] == 1
    assert {*rows.values()} == {(2, 0, 0, 1)}


def test_a_bot_that_starts_on_one_board_alone_is_not_absent():
    """It forfeits the matches of the other board, and is paired in every round."""
    other = replace(DUEL, name="other", digest="d3")
    sides = {board.label: board.sides for board in (DUEL, other)}
    cup = event("swiss", 4, (DUEL, other), rounds=3)

    def play(match: Match) -> Played:
        missing = {
            seat.role for seat in match.seats if (seat.bot.name, match.board) == ("bot003", "other")
        }
        scores = {seat.role: 100 * (seat.role not in missing) for seat in match.seats}
        return result_of(match, sides[match.label], scores, absent=missing)

    run = Run(cup, swiss, play).go_on()
    assert [len(own_matches(batch, "bot003")) for batch in run.batches] == [4, 4, 4]


def test_an_absence_in_one_game_is_none_in_another():
    run = run_with_absences(swiss, 4, {}, boards=(DUEL, replace(DUEL, game="park")))
    history = [
        tuple(
            replace(match, fault_turns=dict.fromkeys(match.seats, 0))
            if match.game == "park"
            else match
            for match in batch
        )
        for batch in run.batches[:1]
    ]
    places = {
        league.games[0]: swiss.placings(league, own) for league, own in leagues(run.event, history)
    }
    assert {row.points for row in places["park"]} == {0}
    assert {row.points for row in places["maze"]} != {0}
    assert {match.game for match in swiss.batch(run.event, 1, history)} == {"maze"}


def test_no_rank_waits_for_a_bot_that_never_starts(tmp_path):
    """A ladder leaves it out after two batches, so it never has as many matches as the rule wants
    of a bot.
    """
    cup = stored.event("0", "ann", "bob", boards=[stored.DUEL], repeats=60)
    cup = replace(cup, schedule="ladder", stop_when=stopping.ORDER)
    with Archive.open(tmp_path, writing=True) as archive:
        plan = Plan(cup, archive)
        for match in plan.due():
            record = stored.likely(match, ["ann", "bob", "0"])
            if "0" in names(match):
                (role,) = (seat.role for seat in match.seats if seat.bot.name == "0")
                absence = Fault(role=role, ending=Ending.CRASHED, turn=0, words="it exited")
                scores = {seat.role: 100 * (seat.role != role) for seat in match.seats}
                record = replace(
                    record, verdict=Verdict(scores=scores, reason="forfeit", faults=(absence,))
                )
            archive.append(record)
            plan.done(match.id)
        assert plan.ended_by == "stop_when"
        assert archive.absentees() == {("mummy_maze", "0")}
        assert plan.open_ranks() == ()
