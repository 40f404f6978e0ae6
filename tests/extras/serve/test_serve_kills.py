"""`arena serve` under kill -9: of the server, of the run, of the check, at any moment."""

import contextlib
import os
import random
import re
import shutil
import signal
import time
from collections import Counter
from pathlib import Path

import httpx
import pytest

from arena.extras.serve import actions
from arena.extras.serve.accounts import Accounts
from arena.extras.serve.entrants import Entrants
from arena.results.archive import Archive
from tests.extras.serve.served import pids_of, served_apart, without
from tests.support import cup, workspaces
from tests.support.processes import until

TARGETS = ("server", "run and check", "server and run")
"""What is killed in turn, while a bot is checked and a round is played."""


class Site:
    """A workspace whose server is started and killed again and again, and an author who hands in
    bots meanwhile.
    """

    def __init__(self, folder: Path) -> None:
        bots = {
            name: cup.BOT.format(place=place, pause=0.02)
            for place, name in enumerate(("first", "more"))
        }
        self.folder = workspaces.make(folder, bots, "duel")
        self.accounts = Accounts(folder)
        self.accounts.set("limit.uploads", 1000, "test", "limit")
        self.session = self.accounts.sign_in(self.accounts.invite("Ada", "test"))
        self.confirmed: dict[str, str] = {}
        """The program of each upload that was confirmed, by its id."""

    def start(self) -> None:
        self.server = served_apart(self.folder)
        assert until(lambda: "serving http" in self.server.said()), self.server.stuck()
        self.client = httpx.Client(base_url=self.server.said().split()[1].rstrip("/"), timeout=150)
        self.client.cookies.set("arena_session", self.session)

    def hand_in(self, number: int) -> None:
        program = f"{cup.FIRST}# {number}\n"
        csrf = re.search(r'name="csrf" value="(\w+)"', self.client.get("/me").text)[1]
        answer = self.client.post(
            "/upload", data={"csrf": csrf}, files={"file": ("mine.py", program)}
        )
        assert answer.status_code == 303, answer.text
        self.confirmed[answer.headers["location"].rpartition("/")[2]] = program

    def kill(self, target: str, seconds: float) -> list[str]:
        """Kill the processes of a target, so long after they are at work; return which of them
        were.
        """
        victims = {"server": [self.server.pid]}
        if "check" in target:
            until(
                lambda: (
                    victims.update(check=pids_of(self.folder, "arena.extras.serve.check_process"))
                    or victims["check"]
                )
            )
        if "run" in target:
            until(lambda: victims.update(run=self.runs()) or victims["run"])
        time.sleep(seconds)
        killed = [name for name in victims if name in target and victims[name]]
        for pid in (pid for name in killed for pid in victims[name]):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if "server" in target:
            self.server.wait()
        return killed

    def runs(self) -> list[int]:
        with contextlib.suppress(OSError):
            holder = Archive.holder(self.folder / "results/cup")
            return [int(holder.pid)] if holder is not None and holder.pid else []
        return []

    def is_done(self) -> bool:
        waits = any(upload.status == "waiting" for upload in self.accounts.uploads())
        return not waits and bool(self.accounts.rounds(1)[0].ended)


def survives(folder: Path, kills: int, seed: int) -> Counter[str]:
    """Kill a site so often, and look at what is left; return how often each process was killed."""
    chance, site, killed = random.Random(seed), Site(folder), Counter()
    with without(site.accounts, "charts"):
        site.start()
        for number in range(kills):
            target = TARGETS[number % len(TARGETS)]
            actions.act(site.accounts, "rounds", ["now"], "test")
            site.hand_in(number)
            killed.update(site.kill(target, chance.random()))
            if site.server.returncode is not None:
                site.start()
        assert until(site.is_done, 240)
        last = site.accounts.rounds(1)[0].number
        actions.act(site.accounts, "rounds", ["now"], "test")  # with the last bot
        assert until(lambda: site.accounts.rounds(1)[0].number > last and site.is_done(), 240)
        site.server.signal(signal.SIGINT)
        site.server.wait()
    assert until(
        lambda: not list(cup.processes_in(folder))
    )  # the fork server hears by a pipe that it has ended
    look_at(site)
    return killed


def look_at(site: Site) -> None:
    """Nothing that was confirmed is lost, nothing is half there, no match was played twice, the
    tables are right.
    """
    uploads = {upload.id: upload for upload in site.accounts.uploads()}
    assert uploads.keys() >= site.confirmed.keys()
    versions = {each.number: each.path for each in Entrants(site.folder).store.versions("Ada")}
    for id_, program in site.confirmed.items():
        assert uploads[id_].status in {"accepted", "known"}, uploads[id_]
        assert versions[uploads[id_].version].read_text() == program
    assert not list((site.accounts.folder / "uploads").glob("[!.]*"))
    assert not [each.words for each in site.accounts.rounds() if each.words]
    with Archive.open(site.folder / "results/cup") as archive:
        assert archive.planned_ids() <= archive.ids()
        assert "Ada" in {bot.name for bot in archive.event().bots}
    tables = cup.tables(site.folder)
    shutil.rmtree(site.folder / "results")
    cup.run_event(site.folder, "--workers", "2")  # the same bots once more, in one go
    assert cup.tables(site.folder)[0] == tables[0]


@pytest.mark.soak
def test_nothing_is_lost_or_played_twice_when_server_run_and_check_are_killed(tmp_path):
    assert survives(tmp_path, len(TARGETS), seed=1) == {"server": 2, "run": 2, "check": 1}


@pytest.mark.soak
@pytest.mark.timeout(3000)
def test_nothing_is_lost_in_forty_kills(tmp_path):
    assert survives(tmp_path, 40, seed=random.randrange(1 << 30))["server"] > 20
