"""The actions of an organiser, for the page of the site and for `arena serve ACTION` alike.

The log has each action.
"""

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
"""The answer of an action: rows with the same keys."""
Show = Callable[[Rows], None]
"""Shows rows to the organiser; raises if that is impossible."""
SWITCHES: Final = {
    "freeze": ("frozen", True, "no author can hand in a bot until `unfreeze`"),
    "unfreeze": ("frozen", False, "authors can hand in bots"),
    "pause": (
        "paused",
        True,
        "matches that have begun are played to their end; no new match begins until `resume`",
    ),
    "resume": ("paused", False, "rounds and requests are played"),
    "hide": ("hidden", True, "only an organiser sees results until `publish`"),
    "publish": ("hidden", False, "everybody sees the results"),
}
"""Actions that turn a switch: its name, on or off, and what that means."""
OFF = "off"
NOW = "now"
MOST_NAME = 60
"""The most characters of the name of the site."""
MOST_WELCOME = 1000
"""The most characters of the text on the front page."""
MOST_MEGABYTES = 50
"""The highest limit for an upload."""
MOST_LIMIT = 1_000_000
"""The highest limit for everything else; a million megabytes are a terabyte."""
ROSTER = ".csv"
"""The end of the name of a table of people; any other word to `invite` is the name of a person."""


def act(
    accounts: Accounts,
    action: str,
    arguments: Sequence[str],
    who: str,
    show_first: Show = lambda _rows: None,
) -> Rows:
    """Do an action for `who`, and return its answer; raise ArenaError for a mistake in its words.

    Tokens go to `show_first` before they are stored. If it fails, nothing has changed, so that no
    account ever has a token that nobody saw.
    """
    if action in SWITCHES:
        _expect(action, arguments, 0)
        switch, value, meaning = SWITCHES[action]
        accounts.set(switch, value, who, action)
        return [{"done": meaning}]
    if action not in ACTIONS:
        known = known_are(action, list(ACTIONS) + list(SWITCHES))
        raise ArenaError(f"serve {action}: no such action; {known}")
    answer = ACTIONS[action](accounts, arguments, who)
    if not isinstance(answer, NewTokens):
        return answer
    rows: Rows = []
    for name, token in zip(answer.labels, answer.tokens, strict=True):
        rows.append({"name": name, "token": token})
    show_first(rows)
    try:
        answer.store()
    except (ArenaError, DatabaseError) as error:
        raise ArenaError(
            f"serve {action}: {error}; nothing was changed, and no token that was shown is valid"
        ) from error
    return rows


def _invite(
    accounts: Accounts,
    arguments: Sequence[str],
    who: str,
) -> NewTokens:
    """Make an account for a person, or accounts for all new people of a roster or for none.

    The words `organiser NAME` make an organiser.
    """
    organiser = len(arguments) > 1 and arguments[0] == "organiser"
    if organiser:
        arguments = arguments[1:]
    name = " ".join(arguments)
    if not name:
        raise ArenaError("serve invite: name a person, or a file such as people.csv")
    if name.endswith(ROSTER) and not organiser:
        return _invite_roster(accounts, name, who)
    fitting = accounts.people().fitting(name)
    if len(fitting) > 1:
        ids = " or ".join(sorted(person.id for person in fitting))
        raise ArenaError(
            f"{name!r} is the name of {len(fitting)} people: name one by the id, {ids}"
        )
    invited = fitting or [Person(name=name)]
    return accounts.invitations(invited, who, organiser=organiser)


def _invite_roster(accounts: Accounts, file: str, who: str) -> NewTokens:
    """Make accounts for all people of a roster who have none."""
    roster = people_files.read(Path(file))
    known: set[Person | None] = set()
    for account in accounts.accounts():
        known.add(roster.recorded(account.id, account.name, account.email))
    new = [person for person in roster if person not in known]
    if not new:
        raise ArenaError(
            f"{file}: everybody in it has an account already; "
            "`arena serve rotate NAME` makes a new token"
        )
    try:
        return accounts.invitations(new, who)
    except ArenaError as error:
        raise ArenaError(f"{file}: {error}; nobody was invited") from error


def _rotate(
    accounts: Accounts,
    arguments: Sequence[str],
    who: str,
) -> NewTokens:
    """Make a new token for an account; the old token becomes void."""
    account = accounts.named(" ".join(arguments))
    return accounts.new_token(account, who)


def _revoke(accounts: Accounts, arguments: Sequence[str], who: str) -> Rows:
    """End the token and the sessions of an account."""
    name = " ".join(arguments)
    account = accounts.named(name)
    accounts.revoke(account, who)
    label = accounts.label(account)
    done = f"the token of {label} no longer works, and {label} is signed out; the bots stay"
    return [{"done": done}]


def _accounts(accounts: Accounts, arguments: Sequence[str], _who: str) -> Rows:
    """List the accounts."""
    _expect("accounts", arguments, 0)
    statuses: dict[str, list[str]] = {}
    for upload in accounts.uploads():  # the newest first
        statuses.setdefault(upload.account, []).append(upload.status)
    labels = accounts.labels()
    rows: Rows = []
    for account in accounts.accounts():
        uploads = statuses.get(account.id, [])
        role = "author"
        if account.is_organiser:
            role = "organiser"
        validity = "valid"
        if account.revoked:
            validity = "revoked"
        last_status = ""
        if uploads:
            last_status = uploads[0]
        row = {
            "name": labels[account.id],
            "role": role,
            "token": validity,
            "uploads": str(len(uploads)),
            "last upload": last_status,
        }
        rows.append(row)
    return rows


def _withdraw(accounts: Accounts, arguments: Sequence[str], who: str) -> Rows:
    """Withdraw a bot, which plays no more."""
    _expect("withdraw", arguments, 1)
    (name,) = arguments
    entrants = Entrants(accounts.workspace)
    version = entrants.store.withdraw(name)
    accounts.note(who, "withdraw", name)
    done = f"{name} no longer plays; its version {version.number} stays stored"
    return [{"done": done}]


def _rounds(accounts: Accounts, arguments: Sequence[str], who: str) -> Rows:
    """Begin a round now, set the rule of rounds, or list the last rounds."""
    rule = " ".join(arguments)
    if rule == NOW:
        accounts.set("round now", accounts.last_round, who, "rounds", NOW)
        return [{"done": "a round begins when no other round is played and matches are not paused"}]
    if rule:
        stored = ""
        if rule != OFF:
            stored = timetable.checked(rule)
        accounts.set("rounds", (stored, now()), who, "rounds", rule)
    rule, _ = accounts.setting("rounds", ("", ""))
    rounds = accounts.rounds(10)
    if arguments or not rounds:
        if rule:
            return [{"done": f"rounds begin {rule}"}]
        return [{"done": "a round begins only when you say so"}]
    rows: Rows = []
    for played in rounds:
        row = {
            "round": str(played.number),
            "begun": played.begun,
            "ended": played.ended,
            "words": played.words,
        }
        rows.append(row)
    return rows


def _limit(accounts: Accounts, arguments: Sequence[str], who: str) -> Rows:
    """Set a limit, or list all limits."""
    if not arguments:
        rows: Rows = []
        for name in LIMITS:
            limit = accounts.limit(name)
            rows.append({"limit": name, "value": str(limit)})
        return rows
    _expect("limit", arguments, 2)
    name, value = arguments
    if name not in LIMITS:
        known = known_are(name, LIMITS)
        raise ArenaError(f"serve limit {name}: no such limit; {known}")
    most = MOST_LIMIT
    if name == "megabytes":
        most = MOST_MEGABYTES
    is_number = value.isascii() and value.isdecimal() and len(value) < 8
    if not is_number or int(value) > most:
        raise ArenaError(f"serve limit {name} {value}: expected a number from 0 to {most}")
    accounts.set(f"limit.{name}", int(value), who, "limit", f"{name} {value}")
    return [{"limit": name, "value": value}]


def _name(accounts: Accounts, arguments: Sequence[str], who: str) -> Rows:
    """Set the name of the club or the class, which stands on every page."""
    return _worded(accounts, "name", arguments, who, MOST_NAME)


def _welcome(accounts: Accounts, arguments: Sequence[str], who: str) -> Rows:
    """Set the words on the front page."""
    return _worded(accounts, "welcome", arguments, who, MOST_WELCOME)


def _worded(
    accounts: Accounts,
    action: str,
    arguments: Sequence[str],
    who: str,
    most: int,
) -> Rows:
    """Store a text of the organiser, or answer with the stored text; `off` deletes it."""
    text = " ".join(arguments)
    if len(text) > most:
        raise ArenaError(
            f"serve {action}: {len(text)} characters are too many; write at most {most}"
        )
    if text:
        value = text
        if text == OFF:
            value = ""
        accounts.set(action, value, who, action, text)
    stored = accounts.setting(action, "")
    if not stored:
        return [{"done": f"you have set no {action} for the site"}]
    return [{"done": f"{action}: {stored}"}]


def _log(accounts: Accounts, arguments: Sequence[str], _who: str) -> Rows:
    """List the last actions."""
    _expect("log", arguments, 0)
    return [asdict(entry) for entry in accounts.log()]


def _similar(accounts: Accounts, arguments: Sequence[str], _who: str) -> Rows:
    """List the programs of different authors that share long passages."""
    _expect("similar", arguments, 0)
    entrants = Entrants(accounts.workspace)
    report = similar.compare(entrants.store, entrants.played())
    rows: Rows = []
    for pair in report.pairs:
        row = {
            "share": f"{100 * pair.share:.0f} %",
            "passages": str(pair.shared),
            "first": pair.first.name,
            "second": pair.second.name,
        }
        rows.append(row)
    for omission in report.omissions:
        row = {
            "share": "not compared",
            "passages": "",
            "first": omission.programs,
            "second": omission.words,
        }
        rows.append(row)
    if not rows:
        return [{"done": "no programs of different authors have long passages in common"}]
    return rows


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


def _expect(action: str, arguments: Sequence[str], number: int) -> None:
    """Raise ArenaError if an action has another number of words."""
    if len(arguments) == number:
        return
    expected = "no words"
    if number:
        expected = counted(number, "word")
    raise ArenaError(f"serve {action}: expected {expected} more")
