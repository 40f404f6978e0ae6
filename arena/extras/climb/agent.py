"""An agent at work: a program that edits a copy of a bot's files.

The agent is confined as a build is, and it has a feedback to read. This module owns what the
agent gets and how it may end. It does not know what becomes of the agent's edit.
"""

# Theory of operation
# -------------------
# The socket of its own that an agent asks the model by. Three were weighed. A Unix socket by its
# path: it needs the calls socket and connect, by which an agent could reach every other socket of
# the machine that its user may open. An HTTP server on the loopback, as many agents expect: the
# same calls, and all ports of the machine. Its own stdin and stdout, which are used here: the same
# lines as a bot's, no further right, and nobody else holds the other end. An agent that speaks HTTP
# needs an adapter in itself.
#
# The account of an agent is that of a seat (extras/models/calls.py): a round is a match of one seat
# with a single turn. So its calls are on the tape of the event, and a round that was killed asks
# the same again and pays nothing.

import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from arena import protocol, system
from arena.author.submissions.copy_untrusted import copy_submission
from arena.errors import ArenaError, OutsideError, SpentError
from arena.event.builds import last_lines
from arena.event.discovery import programs
from arena.extras.climb.chat import Chat
from arena.extras.climb.endpoint import Endpoint
from arena.failure import Cause, Failure
from arena.match.bot.postmortem import failed_build
from arena.protocol import Ask
from arena.sandbox import own_network
from arena.sandbox.building import BUILD_LIMITS, LITTLE_ROOM, Attend, Hear, at_work
from arena.sandbox.launcher import ConfinementError, Launcher
from arena.sandbox.toolchain import PYTHON
from arena.values import Bot, Conditions, Match, ModelTerms, Seat

if TYPE_CHECKING:
    from arena.extras.models.calls import Calls, LanguageModel

FEEDBACK = "ARENA_FEEDBACK"
"""The variable that names the folder of feedback."""
SCRATCH_BYTES = 200_000_000
FILES = 20_000
# An agent that asks over HTTP is a program of a vendor, with a runtime of its own.
HTTP_MEMORY = 4_000_000_000
HTTP_PROCESSES = 128
MOST_OUTPUT = 50_000_000
LONGEST_LINE = 1_000_000
"""Of a request to the model."""


@dataclass(frozen=True, kw_only=True)
class AgentWork:
    """How an agent ended, and what its calls took."""

    failure: str = ""
    """In words, where it left nothing that can be used."""
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, kw_only=True)
class AgentTask:
    """What an agent is to edit, and what it may use."""

    agent: Bot
    """The bot with its files, and with the command of the agent in place of its own."""
    round: int
    seed: int
    conditions: Conditions
    """Of the event: their level of confinement and system calls are those of the agent, too."""
    terms: ModelTerms | None
    seconds: float
    rules: Path
    """The rules that the kit of arena finds."""
    door: str = "lines"
    """`lines` or `http`: how it asks the model."""
    readable: tuple[Path, ...] = ()
    """Further folders that it may read."""
    log: Path | None = None
    """The file that gets its whole output."""


def perform(
    task: AgentTask,
    services: Mapping[str, object],
    write_feedback: Callable[[Path], object],
    target: Path,
) -> AgentWork:
    """Let an agent do its task; copy the bot that it leaves to the free path `target`.

    Nothing is copied if the agent failed. ArenaError where the model gives no answer, MachineError
    for what is nobody's fault: the same task can be done anew.
    """
    role = f"agent in round {task.round}"
    limits = replace(
        BUILD_LIMITS,
        cpu=task.seconds,
        scratch=SCRATCH_BYTES,
        files=FILES,
    )
    if task.door == "http":
        limits = replace(limits, memory=HTTP_MEMORY, processes=HTTP_PROCESSES)
    conditions = Conditions(
        sandbox=task.conditions.sandbox,
        syscalls=task.conditions.syscalls,
        limits=limits,
    )
    seat = Seat(role, replace(task.agent, model_alias=""))
    match = Match(
        id=f"climb-{task.round}",
        game="climb",
        board=str(task.round),
        rules="",
        seats=(seat,),
        repeat=task.round,
        seed=task.seed,
        conditions=replace(conditions, model=task.terms),
    )
    # An event without language models may be without their extra, too.
    from arena.extras.models.calls import Calls
    from arena.extras.models.service import NAME
    from arena.extras.models.verbatim import VerbatimCalls

    model = cast("LanguageModel | None", services.get(NAME))
    calls = Calls(match, model)
    passed = VerbatimCalls(match, model)
    hear: Hear | None = Dialogue(calls, role).hear
    attend: Attend | None = None
    if task.door == "http":
        hear = None
        attend = Endpoint(Chat(passed).respond).attend

    log_path = task.log or Path(os.devnull)
    with ExitStack() as stack:
        launcher = stack.enter_context(Launcher())
        log = stack.enter_context(log_path.open("wb"))
        feedback = launcher.folder.path / "feedback"
        write_feedback(feedback)
        # The agent may be another user, and only reads.
        for path in (feedback, *feedback.rglob("*")):
            mode = 0o644
            if path.is_dir():
                mode = 0o755
            path.chmod(mode)

        working = at_work(
            launcher,
            replace(task.agent, limits=None, processes=None),
            conditions,
            task.seconds,
            rules=task.rules,
            shown={FEEDBACK: feedback},
            readable=task.readable,
            hear=hear,
            keep=OutputLog(log).keep,
            attend=attend,
        )
        try:
            with working as (built, home):
                failure = failed_build(built, limits, task.seconds)
                if failure:
                    launcher.folder.refuse_full(LITTLE_ROOM)
                    failure = "\n  ".join([failure, *last_lines(built.output)])
                else:
                    failure = _taken(task.agent, home, target)
        except ConfinementError as error:
            raise ArenaError(f"--agent: it cannot be confined here: {error}") from error
        except OutsideError as error:
            raise ArenaError(f"{error}; run the same command again") from error
        except SpentError as error:
            raise ArenaError(
                f"{error}: raise model.event_tokens or model.event_cost, and run it again"
            ) from error

    answers = list(passed.made)
    answers += [call.answer for call in calls.made]
    tokens = sum(answer.tokens_in + answer.tokens_out for answer in answers)
    cost = 0.0
    if task.terms is not None:
        costs = [task.terms.cost_of(answer) for answer in answers]
        cost = fsum(costs)
    return AgentWork(
        failure=failure,
        calls=len(answers),
        tokens=tokens,
        cost=round(cost, 9),
    )


def words_of(command: str, private: Iterable[Path]) -> tuple[str, ...]:
    """Return the words of an agent, with the paths of files in full.

    The agent runs in the folder of its bot, and may read the files that its words name. ArenaError
    if one of them is `private`, or lies there.
    """
    try:
        words = programs.words_of(command)
    except ValueError as error:
        raise ArenaError(f"--agent: {error}") from error
    if words[0] != PYTHON and shutil.which(words[0]) is None:
        raise ArenaError(f"--agent {command!r}: there is no such program here")
    hidden = [path.resolve() for path in private]
    words_with_paths: list[str] = []
    for word in words:
        file = Path(word)
        if not file.is_file():
            words_with_paths.append(word)
            continue
        resolved = file.resolve()
        if any(resolved.is_relative_to(path) for path in hidden):
            raise ArenaError(
                f"--agent: {word}: an agent may read the files that it names, and not this one"
            )
        words_with_paths.append(str(file.absolute()))
    return tuple(words_with_paths)


def refuse_private(folders: Iterable[Path], private: Iterable[Path]) -> None:
    """Raise ArenaError if a folder that an agent is to read is none, or shows a private file."""
    hidden = [path.resolve() for path in private]
    for folder in folders:
        if not folder.is_dir():
            raise ArenaError(f"--agent-reads: {folder}: there is no such folder")
        for path in hidden:
            if path.is_relative_to(folder) or folder.is_relative_to(path):
                raise ArenaError(
                    f"--agent-reads: {folder}: an agent could read {path} there: "
                    "install the agent elsewhere"
                )


def refuse_without_network() -> None:
    """Raise ArenaError where this machine gives no agent a network of its own."""
    reason = "this needs Linux"
    if system.LINUX:
        reason = own_network.refusal()
    if reason:
        raise ArenaError(
            f"climb.door: no agent gets a network of its own here ({reason}): "
            'allow users to make namespaces, or take door = "lines"'
        )


def _taken(bot: Bot, home: Path, target: Path) -> str:
    """Copy the bot that an agent left; return in words why that is refused.

    A bare file stays one, unless the agent made a folder with a bot.toml of it.
    """
    original = Path(bot.files or "")
    is_folder = original.is_dir() or (home / "bot.toml").is_file()
    source = home
    if not is_folder:
        source = home / original.name
    try:
        copy_submission(source, target)
    except ArenaError as error:
        return error.seen_from(source.parent)
    return ""


class OutputLog:
    """The whole output of an agent, in a file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._bytes = 0

    def keep(self, data: bytes) -> Failure | None:
        """Add output; return a failure where it is too much."""
        self._bytes += len(data)
        if self._bytes > MOST_OUTPUT:
            words = f"output: more than {MOST_OUTPUT // 1_000_000} MB"
            return Failure(cause=Cause.OUTPUT, words=words)
        self._file.write(data)
        return None


class Dialogue:
    """What an agent says on stdout: lines that ask the model, between others that nobody reads."""

    def __init__(self, calls: "Calls", role: str) -> None:
        self._calls = calls
        self._role = role
        self._part = b""
        """Of a line that has not ended."""

    def hear(self, data: bytes) -> bytes | Failure:
        """Return the lines that answer this part of the output, or why the agent is ended."""
        *lines, self._part = (self._part + data).split(b"\n")
        if len(self._part) > LONGEST_LINE:
            words = f"output: a line has more than {LONGEST_LINE:,} bytes"
            return Failure(cause=Cause.OUTPUT, words=words)
        answers = b""
        for line in lines:
            if not line.startswith(protocol.MODEL):
                continue
            ask = Ask(b"", None, None, turn=1)
            answers_by_role = self._calls.answers({self._role: (ask, line)})
            answer = answers_by_role[self._role]
            if isinstance(answer, Failure):
                return answer
            answers += answer
        return answers
