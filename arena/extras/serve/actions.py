"""What an organiser may do, for the page of the site and for `arena serve ACTION` alike; each action is in the log."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from arena.author.submissions import people as people_files
from arena.author.submissions.people import Person
from arena.errors import ArenaError, counted, known_are
from arena.extras.serve import similar, timetable
from arena.extras.serve.accounts import LIMITS, Accounts, DatabaseError, NewTokens, now
from arena.extras.serve.entrants import Entrants

Rows = list[dict[str, str]]
"""What an action answers: a row for each thing, with the same keys."""
Show = Callable[[Rows], None]
"""Shows rows to whoever asked; raises if that is impossible."""
SWITCHES: Final = {
    "freeze": ("frozen", True, "no author can hand in a bot until `unfreeze`"),
    "unfreeze": ("frozen", False, "authors can hand in bots"),
    "pause": (
        "paused",
        True,
        "the matches under way are played to their end, and no others begin until `resume`",
    ),
    "resume": ("paused", False, "rounds and requests are played"),
    "hide": ("hidden", True, "only an organiser sees results until `publish`"),
    "publish": ("hidden", False, "everybody sees the results"),
}
"""Actions that turn a switch: its name, on or off, and what that means."""
OFF, NOW = "off", "now"
MOST_NAME, MOST_WELCOME = 60, 1000
"""Characters of the texts of an organiser."""
ROSTER = ".csv"  # how the name of a table of people ends; without that, a word to `invite` is the name of a person


def act(
    accounts: Accounts,
    action: str,
    words: Sequence[str],
    who: str,
    show_first: Show = lambda _rows: None,
) -> Rows:
    """Do an action for `who`, and return what there is to say; ArenaError for a mistake in its words.

    Tokens go to `show_first` before they are stored. If it fails, nothing has changed, so that no
    account ever has a token that nobody saw.
    """
    if action in SWITCHES:
        _expect(action, words, 0)
        switch, value, meaning = SWITCHES[action]
        accounts.set(switch, value, who, action)
        return [{"done": meaning}]
    if action not in ACTIONS:
        raise ArenaError(
            f"serve {action}: no such action; {known_are(action, [*ACTIONS, *SWITCHES])}"
        )
    answer = ACTIONS[action](accounts, words, who)
    if not isinstance(answer, NewTokens):
        return answer
    rows = [
        {"name": name, "token": token}
        for name, token in zip(answer.labels, answer.tokens, strict=True)
    ]
    show_first(rows)
    try:
        answer.store()
    except (ArenaError, DatabaseError) as error:
        raise ArenaError(
            f"serve {action}: {error}; nothing was changed, and no token that was shown is valid"
        ) from error
    return rows


def _invite(accounts: Accounts, words: Sequence[str], who: str) -> NewTokens:
    """Make accounts for all new people of a roster, or for none; or for one name, `organiser NAME` for an organiser."""
    organiser = len(words) > 1 and words[0] == "organiser"
    name = " ".join(words[1:] if organiser else words)
    if not name:
        raise ArenaError("serve invite: name a person, or a file such as people.csv")
    if organiser or not name.endswith(ROSTER):
        fitting = accounts.people().fitting(name)
        if len(fitting) > 1:
            ids = " or ".join(sorted(person.id for person in fitting))
            raise ArenaError(
                f"{name!r} is the name of {len(fitting)} people: name one by the id, {ids}"
            )
        return accounts.invitations(fitting or [Person(name=name)], who, organiser=organiser)
    roster = people_files.read(Path(name))
    known = {
        roster.recorded(account.id, account.name, account.email) for account in accounts.accounts()
    }
    new = [person for person in roster if person not in known]
    if not new:
        raise ArenaError(
            f"{name}: everybody there has an account; `arena serve rotate NAME` makes a new token"
        )
    try:
        return accounts.invitations(new, who)
    except ArenaError as error:
        raise ArenaError(f"{name}: {error}; nobody was invited") from error


def _rotate(accounts: Accounts, words: Sequence[str], who: str) -> NewTokens:
    return accounts.new_token(accounts.named(" ".join(words)), who)


def _revoke(accounts: Accounts, words: Sequence[str], who: str) -> Rows:
    account = accounts.named(" ".join(words))
    accounts.revoke(account, who)
    return [
        {
            "done": f"the token of {accounts.label(account)} is void, and who used it is signed out; the bots stay"
        }
    ]


def _accounts(accounts: Accounts, words: Sequence[str], _who: str) -> Rows:
    _expect("accounts", words, 0)
    uploads: dict[str, list[str]] = {}
    for upload in accounts.uploads():
        uploads.setdefault(upload.account, []).append(upload.status)
    labels = accounts.labels()
    return [
        {
            "name": labels[account.id],
            "role": "organiser" if account.is_organiser else "author",
            "token": "revoked" if account.revoked else "valid",
            "uploads": str(len(uploads.get(account.id, ()))),
            "last upload": next(iter(uploads.get(account.id, ())), ""),
        }
        for account in accounts.accounts()
    ]


def _withdraw(accounts: Accounts, words: Sequence[str], who: str) -> Rows:
    _expect("withdraw", words, 1)
    version = Entrants(accounts.workspace).store.withdraw(words[0])
    accounts.note(who, "withdraw", words[0])
    return [{"done": f"{words[0]} plays no more; version {version.number} is stored"}]


def _rounds(accounts: Accounts, words: Sequence[str], who: str) -> Rows:
    rule = " ".join(words)
    if rule == NOW:
        accounts.set("round now", accounts.last_round, who, "rounds", NOW)
        return [{"done": "a round begins, unless one is under way or all is paused"}]
    if rule:
        stored = "" if rule == OFF else timetable.checked(rule)
        accounts.set("rounds", (stored, now()), who, "rounds", rule)
    rule, _ = accounts.setting("rounds", ("", ""))
    rows = [
        {"round": str(each.number), "begun": each.begun, "ended": each.ended, "words": each.words}
        for each in accounts.rounds(10)
    ]
    return (
        rows
        if rows and not words
        else [{"done": f"rounds begin {rule}" if rule else "no round begins by itself"}]
    )


def _limit(accounts: Accounts, words: Sequence[str], who: str) -> Rows:
    if not words:
        return [{"limit": name, "value": str(accounts.limit(name))} for name in LIMITS]
    _expect("limit", words, 2)
    name, value = words
    if name not in LIMITS:
        raise ArenaError(f"serve limit {name}: no such limit; {known_are(name, LIMITS)}")
    most = 50 if name == "megabytes" else 1_000_000  # for the disk that is a terabyte
    if not (value.isascii() and value.isdecimal() and len(value) < 8 and int(value) <= most):
        raise ArenaError(f"serve limit {name} {value}: expected a number from 0 to {most}")
    accounts.set(f"limit.{name}", int(value), who, "limit", f"{name} {value}")
    return [{"limit": name, "value": value}]


def _name(accounts: Accounts, words: Sequence[str], who: str) -> Rows:
    """Set the name of the club or the class, which stands on every page."""
    return _worded(accounts, "name", words, who, MOST_NAME)


def _welcome(accounts: Accounts, words: Sequence[str], who: str) -> Rows:
    """Set the words on the front page."""
    return _worded(accounts, "welcome", words, who, MOST_WELCOME)


def _worded(accounts: Accounts, action: str, words: Sequence[str], who: str, most: int) -> Rows:
    """Store a text of the organiser, or say which text there is; `off` takes it away."""
    text = " ".join(words)
    if len(text) > most:
        raise ArenaError(
            f"serve {action}: {len(text)} characters are too many; write at most {most}"
        )
    if text:
        accounts.set(action, "" if text == OFF else text, who, action, text)
    stored = accounts.setting(action, "")
    return [{"done": f"{action}: {stored}" if stored else f"the site has no {action} of yours"}]


def _log(accounts: Accounts, words: Sequence[str], _who: str) -> Rows:
    _expect("log", words, 0)
    return [asdict(entry) for entry in accounts.log()]


def _similar(accounts: Accounts, words: Sequence[str], _who: str) -> Rows:
    _expect("similar", words, 0)
    entrants = Entrants(accounts.workspace)
    found = similar.compare(entrants.store, entrants.played())
    rows = [
        {
            "share": f"{100 * each.share:.0f} %",
            "passages": str(each.shared),
            "first": each.first.name,
            "second": each.second.name,
        }
        for each in found.pairs
    ]
    rows += [
        {"share": "not compared", "passages": "", "first": each.programs, "second": each.words}
        for each in found.omissions
    ]
    return rows or [{"done": "no two authors have programs that share long passages"}]


ACTIONS: Final[dict[str, Callable[[Accounts, Sequence[str], str], Rows | NewTokens]]] = {
    "invite": _invite,
    "rotate": _rotate,
    "revoke": _revoke,
    "accounts": _accounts,
    "withdraw": _withdraw,
    "rounds": _rounds,
    "limit": _limit,
    "name": _name,
    "welcome": _welcome,
    "similar": _similar,
    "log": _log,
}


def _expect(action: str, words: Sequence[str], number: int) -> None:
    if len(words) != number:
        raise ArenaError(
            f"serve {action}: expected {counted(number, 'word') if number else 'no words'} more"
        )
