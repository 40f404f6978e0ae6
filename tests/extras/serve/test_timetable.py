"""Rounds by the time of day, and the other places that have one, around a change of the clock.

The zones are rules as POSIX writes them in TZ, so that no test depends on the time zones that are
installed here.
"""

import logging
import re
import time
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from arena.errors import ArenaError
from arena.event import run_words
from arena.event.logs import Log
from arena.extras.serve import accounts as serve_accounts
from arena.extras.serve import actions, scheduler, timetable
from arena.extras.serve.accounts import Accounts
from arena.extras.serve.remote import Hub

ZONES = {
    "Europe/Berlin": "CET-1CEST,M3.5.0,M10.5.0/3",
    "America/New_York": "EST5EDT,M3.2.0,M11.1.0",
    "Australia/Sydney": "AEST-10AEDT,M10.1.0,M4.1.0/3",
    "Australia/Lord_Howe": "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
}
LOOK = timedelta(minutes=5)


@pytest.fixture
def live_in(monkeypatch):
    """Return a function that moves this process to a zone."""

    def live_in(zone: str) -> None:
        monkeypatch.setenv("TZ", ZONES.get(zone, zone))
        time.tzset()

    yield live_in
    monkeypatch.undo()
    time.tzset()


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def begun(rule: str, first: datetime, last: datetime, since: datetime) -> list[datetime]:
    """Return when rounds begin, if a server looks each five minutes from the first moment to the
    last.
    """
    rounds = []
    now = first
    while now <= last:
        if timetable.is_due(rule, since, now):
            rounds.append(now)
            since = now
        now += LOOK
    return rounds


AROUND_A_CHANGE = [
    # The zone, the rule, the day before at noon, and when rounds begin in the 48 hours from then,
    # all in UTC.
    ("Europe/Berlin", "at 18:00", "2026-03-28T11:00", ["2026-03-28T17:00", "2026-03-29T16:00"]),
    ("Europe/Berlin", "at 18:00", "2026-10-24T11:00", ["2026-10-24T16:00", "2026-10-25T17:00"]),
    (
        "Europe/Berlin",
        "at 02:30",
        "2026-03-28T11:00",
        ["2026-03-29T01:30", "2026-03-30T00:30"],
    ),  # a gap
    (
        "Europe/Berlin",
        "at 02:30",
        "2026-10-24T11:00",
        ["2026-10-25T00:30", "2026-10-26T01:30"],
    ),  # twice that night
    ("Europe/Berlin", "at 00:00", "2026-10-24T11:00", ["2026-10-24T22:00", "2026-10-25T23:00"]),
    (
        "Europe/Berlin",
        "at 02:30 and 03:30",
        "2026-03-28T11:00",
        ["2026-03-29T01:30", "2026-03-30T00:30", "2026-03-30T01:30"],
    ),
    ("America/New_York", "at 18:00", "2026-03-07T17:00", ["2026-03-07T23:00", "2026-03-08T22:00"]),
    ("America/New_York", "at 18:00", "2026-10-31T16:00", ["2026-10-31T22:00", "2026-11-01T23:00"]),
    ("America/New_York", "at 02:30", "2026-03-07T17:00", ["2026-03-08T07:30", "2026-03-09T06:30"]),
    ("America/New_York", "at 01:30", "2026-10-31T16:00", ["2026-11-01T05:30", "2026-11-02T06:30"]),
    ("Australia/Sydney", "at 18:00", "2026-10-03T02:00", ["2026-10-03T08:00", "2026-10-04T07:00"]),
    ("Australia/Sydney", "at 18:00", "2026-04-04T01:00", ["2026-04-04T07:00", "2026-04-05T08:00"]),
    ("Australia/Sydney", "at 02:30", "2026-10-03T02:00", ["2026-10-03T16:30", "2026-10-04T15:30"]),
    ("Australia/Sydney", "at 02:30", "2026-04-04T01:00", ["2026-04-04T15:30", "2026-04-05T16:30"]),
    (
        "Australia/Lord_Howe",
        "at 02:15",
        "2026-10-03T01:30",
        ["2026-10-03T15:45", "2026-10-04T15:15"],
    ),  # of half an hour
    (
        "Australia/Lord_Howe",
        "at 01:45",
        "2026-04-04T01:00",
        ["2026-04-04T14:45", "2026-04-05T15:15"],
    ),
    ("Asia/Kolkata", "at 18:00", "2026-03-28T06:30", ["2026-03-28T12:30", "2026-03-29T12:30"]),
]


@pytest.mark.parametrize(("zone", "rule", "noon", "expected"), AROUND_A_CHANGE)
def test_a_round_begins_once_at_its_time_of_day_when_the_clock_changes(
    live_in, zone, rule, noon, expected
):
    live_in("IST-5:30" if zone == "Asia/Kolkata" else zone)
    first = moment(noon)
    assert begun(rule, first, first + timedelta(hours=48), first - LOOK) == [
        moment(text) for text in expected
    ]


@pytest.mark.parametrize(("zone", "rule", "noon", "expected"), AROUND_A_CHANGE)
def test_a_round_that_was_missed_is_made_up_once_when_the_server_is_there_again(
    live_in, zone, rule, noon, expected
):
    live_in("IST-5:30" if zone == "Asia/Kolkata" else zone)
    for text in expected:
        down = moment(text) - LOOK
        for up in (moment(text) + LOOK, moment(text) + timedelta(hours=5)):
            rounds = begun(rule, up, up + timedelta(minutes=30), down)
            assert rounds[:1] == [up], "it is made up at once"
            later = [
                other for other in expected if up < moment(other) <= up + timedelta(minutes=30)
            ]
            assert len(rounds) == 1 + len(later), "and no more than once"


def test_a_server_that_was_down_for_days_begins_one_round(live_in):
    live_in("Europe/Berlin")
    up = moment("2026-03-31T07:13")
    assert begun("at 06:00 and 18:00", up, up + timedelta(hours=2), moment("2026-03-26T17:00")) == [
        up
    ]


def test_a_day_that_a_zone_left_out_costs_no_round(live_in):
    live_in("Pacific/Apia")  # it went over the date line: 30 December 2011 was no day there
    if time.localtime(moment("2011-12-31T09:00").timestamp()).tm_hour != 23:
        pytest.skip("the time zones are not installed here")
    first = moment("2011-12-28T20:00")
    rounds = begun("at 18:00", first, moment("2012-01-01T05:00"), first - LOOK)
    assert rounds == [moment("2011-12-29T04:00") + timedelta(days=day) for day in range(4)]
    # The day before the missing one is made up, too, by a server that was down.
    up = moment("2011-12-30T20:00")
    assert begun("at 18:00", up, up + timedelta(hours=1), moment("2011-12-29T20:00")) == [up]


@pytest.mark.parametrize("zone", ZONES)
def test_moments_in_a_zone_of_their_own_are_in_its_time_of_day(live_in, zone):
    try:
        there = ZoneInfo(zone)
    except KeyError:
        pytest.skip("the time zones are not installed here")
    live_in("UTC0")
    for name, rule, noon, expected in AROUND_A_CHANGE:
        if name == zone:
            first = moment(noon)
            rounds = begun(
                rule,
                first.astimezone(there),
                (first + timedelta(hours=48)).astimezone(there),
                first - LOOK,
            )
            assert [each.astimezone(UTC) for each in rounds] >= [
                moment(text) for text in expected[:1]
            ]
            for text in expected:
                assert timetable.is_due(
                    rule, moment(text) - LOOK, moment(text).astimezone(there)
                ), text


def test_a_machine_without_its_time_zone_has_rounds_in_the_time_that_it_shows(live_in):
    live_in("Nowhere/Atlantis")
    shown = time.localtime(0).tm_hour
    assert shown == 0, "the C library takes UTC"
    noon = moment("2026-03-28T12:00")
    assert begun("at 18:00", noon, noon + timedelta(days=1), noon) == [moment("2026-03-28T18:00")]


class Server:
    """The scheduler of a site whose two clocks the test sets; it plays nothing."""

    def __init__(self, folder, monkeypatch, now: str, rule: str) -> None:
        self.now, self.steady = moment(now), 1000.0
        server = self

        class Clock(datetime):
            @classmethod
            def now(cls, tz=None):
                return server.now.astimezone(tz)

        for module in (scheduler, serve_accounts):
            monkeypatch.setattr(module, "datetime", Clock)
        monkeypatch.setattr(scheduler.time, "monotonic", lambda: self.steady)
        monkeypatch.setattr(scheduler.Job, "start", lambda *_words, **_more: None)
        self.accounts = Accounts(folder)
        actions.act(self.accounts, "rounds", tuple(rule.split()), "test")
        self.restart()

    def restart(self) -> None:
        self._scheduler = scheduler.Scheduler(self.accounts, Hub())

    def passes(self, **time) -> list[datetime]:
        """Let time pass; return when rounds begin, by the clock on the wall."""
        rounds, seconds = [], timedelta(**time).total_seconds()
        step = 60 if seconds < 7200 else 600
        for _ in range(int(seconds // step)):
            self.now += timedelta(seconds=step)
            self.steady += step
            before = self.accounts.last_round
            self._scheduler._step_rounds()
            if self.accounts.last_round != before:
                rounds.append(self.now)
                self.accounts.end_round()
        return rounds

    def set_clock(self, **by) -> None:
        self.now += timedelta(**by)


@pytest.fixture
def server(tmp_path, monkeypatch, live_in):
    (tmp_path / "tournament.toml").write_text('name = "cup"\n')
    return lambda now, rule, zone="UTC0": (live_in(zone), Server(tmp_path, monkeypatch, now, rule))[
        1
    ]


def test_a_server_that_runs_through_a_change_of_the_clock_begins_each_round_once(server):
    site = server("2026-10-24T15:30", "at 18:00 and 02:30", "Europe/Berlin")
    assert site.passes(hours=26) == [
        moment(text) for text in ("2026-10-24T16:00", "2026-10-25T00:30", "2026-10-25T17:00")
    ]


@pytest.mark.parametrize(
    "back", [10, *[pytest.param(minutes, marks=pytest.mark.soak) for minutes in (60, 170)]]
)
def test_a_clock_that_is_set_back_begins_no_round_of_a_time_of_day_again(server, back):
    site = server("2026-05-01T17:30", "at 12:00 and 18:00")
    assert site.passes(minutes=40) == [moment("2026-05-01T18:00")]
    site.set_clock(minutes=-back)
    site.restart()
    assert site.passes(hours=5) == []
    assert site.passes(hours=16)[0] == moment("2026-05-02T12:00")


def test_a_clock_that_is_set_forward_past_a_time_of_day_begins_its_round_once(server):
    site = server("2026-05-01T17:30", "at 18:00")
    site.set_clock(hours=3)
    assert site.passes(hours=1) == [moment("2026-05-01T20:31")]
    site.set_clock(hours=-3)
    assert site.passes(hours=12) == []


@pytest.mark.parametrize(
    "by", [{"minutes": -50}, {"hours": -7}, {"days": -400}, {"minutes": 50}, {"days": 3}]
)
def test_rounds_an_hour_apart_stay_so_when_somebody_sets_the_clock(server, by):
    site = server("2026-05-01T17:30", "each hour")
    site.passes(hours=2)
    site.set_clock(**by)
    at = site.now
    assert site.passes(minutes=130) == [at + timedelta(hours=1), at + timedelta(hours=2)]


@pytest.mark.parametrize("rule", ["each hour", "at 18:00"])
def test_a_server_whose_clock_was_years_ahead_holds_no_round_back(server, rule):
    site = server("2031-05-01T16:30", rule)
    assert site.passes(hours=2)
    site.set_clock(days=-1800)
    site.restart()
    assert site.passes(minutes=3) == [site.now - timedelta(minutes=2)]


def test_a_rule_that_is_set_counts_from_then(server):
    site = server("2026-05-01T10:00", "each hour")
    assert len(site.passes(minutes=70)) == 1
    actions.act(site.accounts, "rounds", ("each", "20", "minutes"), "test")
    at = site.now
    assert site.passes(minutes=25) == [at + timedelta(minutes=20)]


def test_the_expected_end_of_a_run_is_right_when_the_clock_changes_before(live_in, monkeypatch):
    live_in("Europe/Berlin")

    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(2026, 10, 24, 22, 0, tzinfo=UTC).astimezone(tz)  # midnight in Berlin

    monkeypatch.setattr(run_words, "datetime", Clock)
    assert [run_words.clock_in(hours * 3600) for hours in (1, 3, 5, 24, 25)] == [
        "01:00",
        "02:00",
        "04:00",
        "23:00",
        "tomorrow 00:00",
    ]


def test_the_log_of_an_event_has_times_that_no_change_of_the_clock_repeats(tmp_path, live_in):
    live_in("Europe/Berlin")
    log = Log(tmp_path)
    try:
        logging.warning("it is written")
    finally:
        log.close()
    written = re.match(
        r"(\S+) MainProcess WARNING it is written", (tmp_path / "arena.log").read_text("utf-8")
    )
    assert abs(datetime.fromisoformat(written[1]) - datetime.now(UTC)) < timedelta(minutes=5)


def test_a_rule_that_is_none_is_refused():
    for rule in ("at 24:00", "at 12:60", "each 0 minutes", "sometimes"):
        with pytest.raises(ArenaError, match="is no time for rounds"):
            timetable.checked(rule)
