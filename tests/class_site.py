"""A site on which a class has worked: its event, uploads and requests, and what of it is private to whom."""

import io
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cup
import httpx
from programs import python
from starlette.routing import BaseRoute, Route

from arena.results.archive import Archive
from arena.serve import people, uploads
from arena.serve.accounts import Accounts
from arena.serve.entrants import Entrants

AUTHORS, ORGANISER = ("Ada", "Ben"), "Olga"
PROGRAM = python(
    'say("# remark-of-{name}")\nsay(legal[0])',
    first='print("stderr-of-{name}", file=sys.stderr, flush=True) # comment-of-{name}',
)
COMMON = "".join(
    f"table_{n} = [(x + {n}, y * {n}) for x, y in zip(range({n}), [{n}] * {n}) if x % 2 == y]\n" for n in range(9)
)
"""What the programs of all authors have, which is shown to the organiser beside each other."""
CRASHES = COMMON + python('raise SystemExit("words-of-{name}")')
"""The second version of each author."""


@dataclass
class ClassSite:
    """A workspace, who has a session there, and what nobody but an author and the organiser may read."""

    workspace: Path
    accounts: Accounts
    sessions: dict[str, str] = field(default_factory=dict)
    """The cookie of each person's session."""
    private: dict[str, set[str]] = field(default_factory=dict)
    """Texts that only an author and the organisers may read."""
    pages: dict[str, set[str]] = field(default_factory=dict)
    """Ids in addresses that are an author's own."""

    def client(self, site: httpx.Client, name: str = "") -> httpx.Client:
        """Return a client with the session of somebody; without a name, of nobody."""
        cookies = {people.COOKIE: self.sessions[name]} if name else {}
        return httpx.Client(base_url=site.base_url, cookies=cookies, timeout=150)

    def values(self) -> dict[str, tuple[str, ...]]:
        """Return what may stand in the addresses of pages, by the names that routes have for it."""
        asked = [each.event for each in self.accounts.requests()]
        matches, digests = [], set()
        for event in ("cup", *asked):
            with Archive.open(self.workspace / "results" / event) as archive:
                matches += [match.id for match in itertools.islice(archive.played(), 2)]
                digests |= {bot.digest for bot in archive.event().bots if "Ada" in bot.name}
        return {
            "event": ("cup", *asked),
            "match": tuple(matches),
            "digest": tuple(digests),
            "name": ("leaderboard.svg", "arena.css"),
            "bot": AUTHORS,
            "id": tuple(id_ for name in AUTHORS for id_ in self.pages[name]),
            "first": ("Ada@2",),
            "second": ("Ben@2",),
        }

    def addresses(self, routes: list[BaseRoute]) -> Iterator[tuple[str, str]]:
        """Yield each route that a browser gets with addresses of it, so that a new route is tested by itself."""
        values = self.values()
        for route in routes:
            if isinstance(route, Route) and "GET" in (route.methods or ()):
                names = re.findall(r"{(\w+)", route.path)
                assert not (unknown := set(names) - values.keys()), (
                    f"{route.path}: say in class_site.py what {unknown} may be"
                )
                for chosen in itertools.product(*(values[name] for name in names)):
                    path = re.sub(r"{(\w+)[^}]*}", "{}", route.path).format(*chosen)
                    yield route.path, path
                    if path.endswith(("/bot", "/bot.json")) or "/versions/" in path:
                        yield from ((route.path, f"{path}?name={bot}") for bot in ("Ada", "Ada@1", "Ben@2"))


def make(folder: Path) -> ClassSite:
    """Make such a site: each of two authors has two versions, a refused upload, and a request that was played."""
    workspace = cup.make(folder)
    accounts = Accounts(workspace)
    site = ClassSite(workspace, accounts)
    for name in (*AUTHORS, ORGANISER):
        email = f"{name}@private.example"
        token = accounts.invite(name, "test", email=email, organiser=name == ORGANISER)
        site.sessions[name] = accounts.sign_in(token) or ""
        site.private[name] = {token, site.sessions[name], email}
        site.pages[name] = set()
    accounts.set("paused", True)
    for number, program in enumerate((PROGRAM, CRASHES, "refused")):
        for name in AUTHORS:
            text, file = program.replace("{name}", name), f"file-{number}-of-{name}.py"
            site.pages[name].add(uploads.receive(accounts, accounts.named(name), {file: io.BytesIO(text.encode())}))
            decide(accounts, *([f"reason-of-{name}"] if program == "refused" else []))
            site.private[name] |= {file, f"reason-of-{name}"}
            site.private[name] |= {f"{what}-of-{name}" for what in ("remark", "stderr", "comment", "words")}
        if program != "refused":
            cup.run_event(workspace)
    for name, other in (AUTHORS, AUTHORS[::-1]):
        id_ = accounts.ask(accounts.named(name), f"{name}@1", f"{other}@2", "mummy_maze/duel", 1)
        cup.arena(workspace, "duel", f"{name}@1", f"{other}@2", "--board", "mummy_maze/duel", "--max-pairings", "1",
                  "--workers", "1", "--name", f"request-{id_}")  # fmt: skip
        (asked,) = (each for each in accounts.requests() if each.id == id_)
        accounts.set_request(asked, "done", f"answer-to-{name}")
        site.pages[name].add(id_)
        site.private[name].add(f"answer-to-{name}")
    for name in AUTHORS:
        site.private[name] |= site.pages[name]
    (charts := workspace / "results/cup/charts").mkdir(exist_ok=True)
    (charts / "leaderboard.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    return site


def decide(accounts: Accounts, *faults: str) -> None:
    """Decide all uploads, without a check that takes seconds: each bot has these faults."""
    uploads.decide_all(accounts, Entrants(accounts.workspace).store, lambda bots: (faults for _ in bots), ())
