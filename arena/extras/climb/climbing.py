"""A climb: rounds in which agents edit bots.

A new version is promoted only if a test proves it good enough. This module owns the order of the
steps, what each of them leaves on disk, and what must be proven for a promotion (`question`).
agent.py lets an agent work. The caller examines a version and tests it by a duel;
results/sequential.py says when a duel has proven something.
"""

# Theory of operation
# -------------------
# Three layouts were weighed.
#
# 1. A climb as a schedule of one event, with edits between its batches. A plan is a pure function
#    of what is stored, and an agent is none; and the bots of an event do not change while it is
#    played.
# 2. A store of its own: versions, results and ratings of a climb in one new file. It would repeat
#    the work of three stores, and no other command could read it.
# 3. The layout that is used: a driver over what exists. Versions are those of `arena submit`
#    (`BotStore`), so that `arena duel ada@3 ada@1` and `arena bots --versions` know them. The bots
#    meet in an event, `results/NAME`, as the workspace's other bots do: an edited bot gets new
#    matches by itself, and its old matches stay for the ratings of versions. Each test is a duel
#    with an archive of its own, `results/NAME/duels/ada@3-ada@2`, so that an agent that makes the
#    same version again gets the same answer and no second chance. One small file has the outcome of
#    each edit (history.py).
#
# Resuming. Every step is idempotent, and is written down when it is done:
#
#     the event is played     in its archive, match by match
#     an agent has worked     its version is in the store, then a line of the history says `in test`
#     the test has decided    in the duel's archive; the promotion puts the bot in place; then the
#                             line says so
#
# A kill loses the step under way, and the next run takes it again. An agent that was killed begins
# again, and the model's answers come from the tape, so it makes the same edit if it depends on
# them, its files, its feedback and its seed alone. In a round all agents see the same feedback: the
# event is played before the first of them only, so that a run that goes on in the middle of a round
# does not show the later ones what the earlier ones have become.

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from arena.author.submissions.bot_store import BotStore, Version
from arena.errors import ArenaError
from arena.event import bot_folder, discovery
from arena.event.discovery.notes import Note
from arena.extras.climb import history as climb_history
from arena.extras.climb.agent import AgentWork
from arena.extras.climb.history import Edit, EditOutcome, History
from arena.extras.climb.table import ClimbTable
from arena.protocol import clean
from arena.results.sequential import Decision, Question
from arena.sandbox import folder as scratch
from arena.values import Bot

LONGEST_WORDS = 2000
FIXED = ("games", "roles", "model", "model_alias", "remote", "display")
"""What no agent may change of a bot."""


def question(table: ClimbTable) -> Question:
    """Return what the test asks: is a version better than that before, or not worse by `points`."""
    low = -table.points
    if table.promote == "better":
        low = 0.0
    return Question(low=low, high=low + table.points)


@dataclass(frozen=True, kw_only=True)
class Proof:
    """What the test of a version against the one before has shown."""

    decision: Decision | None
    """None: undecided at its limit of pairings."""
    pairings: int = 0
    difference: float | None = None
    """In points; None where one of the two could not play."""
    low: float | None = None
    high: float | None = None
    words: str = ""
    """The reason of the decision, if it is not in the figures."""


@dataclass(kw_only=True)
class Climb:
    """A climb in one workspace."""

    folder: Path
    """Of its results."""
    store: BotStore
    history: History
    play: Callable[[], object]
    """Plays what is due of the event between the rounds; an exception if it cannot be ended."""
    work: Callable[[History, Bot, int, Path], AgentWork]
    """Lets the agent of this bot do its work in a round, and copies what it left to the path."""
    examine: Callable[[Iterable[Bot]], Iterator[tuple[str, ...]]]
    """Yields the faults of each bot, as `arena check` finds them."""
    test: Callable[[str, Version, Version], Proof]
    """Tests a version of a bot against the one before."""
    tell: Callable[[Edit], object]
    """Is called when an edit is decided."""

    def climb(self, rounds: int) -> None:
        """Climb up to this round; what was done before is not done again."""
        for number in range(1, rounds + 1):
            done: dict[str, Edit] = {}
            for edit in self.history.edits:
                if edit.round == number:
                    done[edit.bot] = edit
            if not done:
                for bot in self.history.agents:
                    champion = self.history.champion(bot)
                    self._refuse_stranger(bot, champion)
                self.play()
            for bot in self.history.agents:
                edit_before = done.get(bot)
                edit = edit_before or self._edited(bot, number)
                if edit.outcome is EditOutcome.TESTING:
                    edit = self._tested(edit)
                if edit != edit_before:
                    self.tell(edit)
        self.play()

    def version(self, bot: str, digest: str) -> Version:
        """Return the version of a bot that has this digest."""
        for version in self.store.versions(bot):
            if version.digest == digest and bot_folder.is_whole(version.path, digest):
                return version
        raise ArenaError(
            f"{bot}: its version {digest} is not whole any more: this climb cannot go on"
        )

    def _refuse_stranger(self, bot: str, *digests: str) -> None:
        """Raise ArenaError if somebody else changed the bot: it has none of these digests."""
        for path in self.store.playing(bot):
            if any(bot_folder.is_whole(path, digest) for digest in digests):
                return
        number = self.version(bot, digests[0]).number
        raise ArenaError(
            f"{bot}: is not {bot}@{number} any more, which this climb promoted last: put that "
            "back, or begin a new climb under another --name"
        )

    def _edited(self, name: str, number: int) -> Edit:
        """Let the agent of a bot work, keep its edit if it is fit to play, and write that down."""
        version = self.version(name, self.history.champion(name))
        bot = discovery.from_path(version.path, name)
        # The next command removes the folder if this one is killed.
        folder, lock = scratch.private()
        try:
            copy = folder / version.path.name
            work = self.work(self.history, bot, number, copy)
            edit = Edit(
                round=number,
                bot=name,
                outcome=EditOutcome.FAILED,
                words=work.failure[:LONGEST_WORDS],
                calls=work.calls,
                tokens=work.tokens,
                cost=work.cost,
            )
            if not work.failure:
                if copy.is_dir() and version.path.is_file():
                    copy = copy.rename(copy.with_name(name))
                edit = self._kept(edit, copy, version)
            return self._written(edit)
        finally:
            scratch.discard(folder)
            os.close(lock)

    def _kept(self, edit: Edit, copy: Path, before: Version) -> Edit:
        """Examine what an agent made, keep it as a version; return the edit with its outcome."""
        try:
            bot = discovery.from_path(copy, edit.bot)
        except ArenaError as error:
            reason = _cut(error.seen_from(copy.parent))
            return replace(edit, outcome=EditOutcome.REFUSED, words=reason)
        edit = replace(edit, digest=bot.digest)
        if bot.digest == before.digest:
            return replace(edit, outcome=EditOutcome.UNCHANGED)

        old = discovery.from_path(before.path, edit.bot)
        # Otherwise it could leave out what it is bad at, or take the name of another in tables.
        changed: list[str] = []
        for key in FIXED:
            if getattr(bot, key) != getattr(old, key):
                changed.append(key)
        if changed:
            rule = "it must play what the version before plays, here, and have its name"
            message = f"its bot.toml changes {', '.join(changed)}: {rule}"
            return replace(edit, outcome=EditOutcome.REFUSED, words=message)

        if self.store.version_of(bot) is None:
            (faults,) = self.examine([bot])
            if faults:
                reasons = _cut("\n\n".join(faults))
                return replace(edit, outcome=EditOutcome.REFUSED, words=reasons)
            note = replace(before.note, source=f"climb, round {edit.round}")
            with self.store.changing():
                path = self.store.new_folder() / copy.name
                bot_folder.copy(copy, path)
                self.store.keep(bot, path, note)
        return replace(edit, outcome=EditOutcome.TESTING)

    def _tested(self, edit: Edit) -> Edit:
        """Test a version against that before, promote it if that is proven, and write that down."""
        champion = self.history.champion(edit.bot)
        version = self.version(edit.bot, edit.digest)
        before = self.version(edit.bot, champion)
        proof = self.test(edit.bot, version, before)
        if proof.decision is Decision.BETTER:
            with self.store.changing():
                # The new version plays already if a kill came before this edit was written.
                self._refuse_stranger(edit.bot, before.digest, edit.digest)
                self.store.play(edit.bot, version)
            outcome = EditOutcome.PROMOTED
            message = ""
        else:
            outcome = EditOutcome.REJECTED
            message = f"the test says {proof.decision or 'nothing yet, at its limit'}"
        decided = replace(
            edit,
            outcome=outcome,
            words=clean(proof.words, LONGEST_WORDS) or message,
            pairings=proof.pairings,
            difference=_rounded(proof.difference),
            low=_rounded(proof.low),
            high=_rounded(proof.high),
        )
        return self._written(decided)

    def _written(self, edit: Edit) -> Edit:
        self.history = self.history.with_edit(edit)
        climb_history.store(self.folder, self.history)
        return edit


def _rounded(figure: float | None) -> float | None:
    if figure is None:
        return None
    return round(figure, 4) + 0.0  # 0.0 for -0.0


def _cut(sentence: str) -> str:
    """Return a sentence about an edit, safe to print, and as short as the history has room for."""
    lines = map(clean, sentence.splitlines())
    safe = "\n".join(lines)
    return safe[:LONGEST_WORDS]


def begun(
    store: BotStore,
    folder: Path,
    agents: Mapping[str, str],
    settings: str,
) -> History:
    """Return the history of a climb: that in its folder, or a new one.

    ArenaError if that in the folder is of another climb. A bot that climbs is stored as a version
    first, so that it is not lost.
    """
    history = climb_history.read(folder)
    if history is not None:
        has_same_settings = history.settings == settings
        has_same_agents = dict(history.agents) == dict(agents)
        has_same_bots = set(history.first) == set(agents)
        if not (has_same_settings and has_same_agents and has_same_bots):
            raise ArenaError(
                f"{folder}: this climb was begun with other bots, agents, boards, seed or rules of "
                "promotion: say the same again, or take another --name"
            )
        return history
    first: dict[str, str] = {}
    with store.changing():
        for name in agents:
            paths = store.playing(name)
            if len(paths) != 1:
                raise ArenaError(
                    f"{name!r}: no bot in {store.bots} has this name; `arena bots` lists them"
                )
            (path,) = paths
            bot = discovery.from_path(path, name)
            if store.version_of(bot) is None:
                copy = store.new_folder() / path.name
                bot_folder.copy(path, copy)
                note = Note(display=bot.display, source="before a climb")
                store.keep(bot, copy, note)
            first[name] = bot.digest
    history = History(settings=settings, agents=dict(agents), first=first)
    climb_history.store(folder, history)
    return history
