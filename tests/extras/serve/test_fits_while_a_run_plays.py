"""While a run plays, the pages of its event share one fit until it is due again."""

import asyncio
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.extras.serve import frames, jobs
from arena.results.archive import Archive
from arena.results.leaderboard import Results
from arena.values import Match
from tests.support import stored

EVENT = stored.event("ann", "bob", "cat", boards=[stored.DUEL], repeats=4)
MATCHES = list(stored.plan(EVENT))
FIRST = [match for match in MATCHES if match.repeat < 2]
LATER = [match for match in MATCHES if match.repeat >= 2]


def play(folder: Path, matches: list[Match]) -> None:
    stored.store(folder, EVENT, map(stored.played, matches), stored.plan(EVENT))


def fit_of(folder: Path) -> bytes:
    (path,) = folder.glob(".ratings-*.json")
    return path.read_bytes()


def _hold(folder: Path, pipe) -> None:
    with Archive.open(folder, writing=True):
        pipe.send("begun")
        pipe.recv()


@contextmanager
def run_of(folder: Path) -> Iterator[None]:
    """Hold the archive's lock in another process, as a run does."""
    fork = multiprocessing.get_context("fork")
    ours, theirs = fork.Pipe()
    process = fork.Process(target=_hold, args=(folder, theirs))
    process.start()
    assert ours.recv() == "begun"
    try:
        yield
    finally:  # a test that fails must not wait for it for ever
        ours.send("end")
        process.join()


def test_pages_share_the_fit_of_an_earlier_look_and_say_how_many_matches_it_lacks(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(jobs, "SHARE", 1e9)  # however fast this machine is, no fit is due
    folder = tmp_path / "results" / "cup"
    play(folder, FIRST)
    assert "newest" not in jobs.front(folder, "").html
    before = fit_of(folder)
    play(folder, LATER)
    with run_of(folder):
        html = jobs.front(folder, "").html
        jobs.wall(folder)
        jobs.versions(folder)
        assert fit_of(folder) == before
        assert f"The ratings do not know the newest {len(LATER)} matches yet" in html
    assert "newest" not in jobs.front(folder, "").html  # the run is over
    assert fit_of(folder) != before


def test_a_fit_that_is_due_or_lacks_a_bot_is_made_again(tmp_path):
    play(tmp_path, [match for match in FIRST if match.seats[0].bot.name != "cat"][:1])
    assert len(Results.open(tmp_path, patience=1e9).ratings.ratings) == 2
    play(tmp_path, FIRST)
    results = Results.open(tmp_path, patience=1e9)
    assert (len(results.ratings.ratings), results.unrated_matches) == (3, 0)
    before = fit_of(tmp_path)
    play(tmp_path, LATER)
    patient = Results.open(tmp_path, patience=1e9)
    assert patient.unrated_matches == len(LATER)
    assert fit_of(tmp_path) == before
    assert Results.open(tmp_path, patience=1e-9).unrated_matches == 0
    assert fit_of(tmp_path) != before


def test_a_page_follows_its_fit_while_a_run_waits_and_stores_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(frames, "FRESH_S", 0.01)
    play(tmp_path / "cup", FIRST)
    asked = []

    async def run(*_: object) -> int:
        asked.append("page")
        return len(asked)

    async def newest() -> int:
        """Return the page that a reader has after many looks."""
        made = frames.Frames(tmp_path)
        made._tables.run = run
        asked.clear()
        for _ in range(20):
            page = await made.table("cup", jobs.front, "")
            await asyncio.sleep(0.02)
        made.close()
        return page

    with run_of(tmp_path / "cup"):
        assert asyncio.run(newest()) > 1
    assert asyncio.run(newest()) == 1
