"""A site on which a class has worked: its event, uploads and requests, and what of it is private to
whom.
"""

import io
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from starlette.routing import BaseRoute, Route

from arena.extras.serve import people, uploads
from arena.extras.serve.accounts import Accounts
from arena.extras.serve.entrants import Entrants
from arena.results.archive import Archive
from tests.support import cup, events, reported, workspaces
from tests.support.programs import python

AUTHORS, ORGANISER = ("Ada", "Ben"), "Olga"
PROGRAM = python(
    'say("# remark-of-{name}")\nsay(legal[0])',
    first='print("stderr-of-{name}", file=sys.stderr, flush=True) # comment-of-{name}',
)
COMMON = "".join(
    f"table_{n} = [(x + {n}, y * {n}) for x, y in zip(range({n}), [{n}] * {n}) if x % 2 == y]\n"
    for n in range(9)
)
"""What the programs of all authors have, which is shown to the organiser beside each other."""
CRASHES = COMMON + python('raise SystemExit("words-of-{name}")')
"""The second version of each author."""


@dataclass
class ClassSite:
    """A workspace, who has a session there, and what nobody but an author and the organiser may
    read.
    """

    workspace: Path
    accounts: Accounts
    sessions: dict[str, str] = field(default_factory=dict)
    """The cookie of each person's session."""
    private: dict[str, set[str]] = field(default_factory=dict)
    """Texts that only an author and the organisers may read."""
    pages: dict[str, dict[str, str]] = field(default_factory=dict)
    """Ids in addresses that are an author's own, each with the folder of its page."""
    events: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Each event, with the id of a match and the digest of a bot in it."""

    def client(self, site: httpx.Client, name: str = "") -> httpx.Client:
        """Return a client with the session of somebody; without a name, of nobody."""
        cookies = {people.COOKIE: self.sessions[name]} if name else {}
        return httpx.Client(base_url=site.base_url, cookies=cookies, timeout=150)

    def values(self, route: str, event: str) -> dict[str, tuple[str, ...]]:
        """Return what may stand in addresses of a route, by the names that it has for it."""
        match, digest = self.events[event]
        ids = [
            id_
            for name in AUTHORS
            for id_, folder in self.pages[name].items()
            if route.startswith(folder)
        ]
        return {
            "event": (event,),
            "match": (match,),
            "digest": (digest,),
            "name": ("leaderboard.svg", "arena.css"),
            "bot": AUTHORS,
            "id": tuple(ids),
            "first": ("Ada@2",),
            "second": ("Ben@2",),
            "game": ("mummy_maze",),
            "board": ("duel",),
            "kit": ("python",),
        }

    def addresses(self, routes: list[BaseRoute]) -> Iterator[tuple[str, str]]:
        """Yield each route that a browser gets with addresses of it, so that a new route is tested
        by itself.
        """
        for route in routes:
            if isinstance(route, Route) and "GET" in (route.methods or ()):
                names = re.findall(r"{(\w+)", route.path)
                for event in self.events if "event" in names else ("cup",):
                    values = self.values(route.path, event)
                    assert not (unknown := set(names) - values.keys()), (
                        f"{route.path}: say in class_site.py what {unknown} may be"
                    )
                    for chosen in itertools.product(*(values[name] for name in names)):
                        path = re.sub(r"{(\w+)[^}]*}", "{}", route.path).format(*chosen)
                        yield route.path, path
                        if path.endswith(("/bot", "/bot.json")) or "/versions/" in path:
                            yield from (
                                (route.path, f"{path}?name={bot}")
                                for bot in ("Ada", "Ada@1", "Ben@2")
                            )


def make(folder: Path) -> ClassSite:
    """Make such a site: each of two authors has two versions, a refused upload, and a request that
    was played.
    """
    workspace = workspaces.make(folder, {"first": cup.FIRST}, "duel")
    accounts = Accounts(workspace)
    site = ClassSite(workspace, accounts)
    for name in (*AUTHORS, ORGANISER):
        email = f"{name}@private.example"
        token = accounts.invite(name, "test", email=email, organiser=name == ORGANISER)
        site.sessions[name] = accounts.sign_in(token) or ""
        site.private[name] = {token, site.sessions[name], email}
        site.pages[name] = {}
    accounts.set("paused", True)
    for number, program in enumerate((PROGRAM, CRASHES, "refused")):
        for name in AUTHORS:
            text, file = program.replace("{name}", name), f"file-{number}-of-{name}.py"
            id_ = uploads.receive(accounts, accounts.named(name), {file: io.BytesIO(text.encode())})
            site.pages[name][id_] = "/me/uploads"
            decide(accounts, *([f"reason-of-{name}"] if program == "refused" else []))
            site.private[name] |= {file, f"reason-of-{name}"}
            site.private[name] |= {
                f"{what}-of-{name}" for what in ("remark", "stderr", "comment", "words")
            }
        if program != "refused":
            events.run(workspace, "results/cup")
    for name, other in (AUTHORS, AUTHORS[::-1]):
        id_ = accounts.ask(accounts.named(name), f"{name}@1", f"{other}@2", "mummy_maze/duel", 1)
        cup.arena(workspace, "duel", f"{name}@1", f"{other}@2", "--board", "mummy_maze/duel",
        "--max-pairings", "1",
                  "--workers", "1", "--name", f"request-{id_}")  # fmt: skip
        (asked,) = (each for each in accounts.requests() if each.id == id_)
        accounts.set_request(asked, "done", f"answer-to-{name}")
        site.pages[name][id_] = "/me/requests"
        site.private[name].add(f"answer-to-{name}")
    for name in AUTHORS:
        site.private[name] |= site.pages[name].keys()
    for event in ("cup", *(each.event for each in accounts.requests())):
        with Archive.open(workspace / "results" / event) as archive:
            of_ada = next(bot for bot in archive.event().bots if "Ada" in bot.name)
            met = [
                match
                for match in archive.played()
                if {bot[:3] for bot in match.seats.values()} == {*AUTHORS}
            ]
            site.events[event] = max(met, key=lambda match: match.turns).id, of_ada.digest
    (charts := workspace / "results/cup/charts").mkdir(exist_ok=True)
    (charts / "leaderboard.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    return site


def decide(accounts: Accounts, *faults: str) -> None:
    """Decide all uploads, without a check that takes seconds: each bot has these faults."""
    uploads.decide_all(
        accounts, Entrants(accounts.workspace).store, lambda bots: (faults for _ in bots), ()
    )


def add_hostile_event(results: Path) -> str:
    """Store an event, evil, in which every text is hostile; return the id of a match of it."""
    of = reported.event(reported.EVIL[:4], on=reported.boards("duel"))
    planned = list(reported.plan(of))
    texts = itertools.cycle(reported.EVIL)
    records = [
        reported.evil(reported.played(match), text)
        for match, text in zip(planned, texts, strict=False)
    ]
    (folder := results / "evil").mkdir()
    reported.store(folder, of, records)
    return planned[0].id
