"""Whether an attack did what it meant to: judged by what is true outside, never by what the bot claims.

One function a kind of proof, all of one shape: from a scene that was looked at and ended to yes or no.
"""

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

Truth = Callable[[Any], bool]


def leaked(scene: Any) -> bool:
    """It said a secret that it was never told."""
    return scene.stage.token in scene.said


def told(scene: Any) -> bool:
    """It said what only its accomplice was told."""
    return scene.message in scene.said


def said(text: Callable[[Any], str]) -> Truth:
    """It said this."""
    return lambda scene: text(scene) in scene.said


def changed(scene: Any) -> bool:
    """A file of ours is not what it was, or there is one more or one less beside it."""
    return scene.canary_before[:2] != scene.canary_after[:2] or bool(scene.found)


def linked(scene: Any) -> bool:
    """A file of ours has one more name, while the attacker lives."""
    return scene.canary_before[0] != scene.canary_meanwhile


def left(scene: Any) -> bool:
    """Something outlives it."""
    return bool(scene.holds)


def wrote_home(scene: Any) -> bool:
    """There is a new file in its own folder."""
    return "written.txt" in scene.home


def set_a_setting(scene: Any) -> bool:
    """A setting of the kernel has another value; set back."""
    return scene.setting_changed


def opponent(what: Callable[[Any, Any], bool]) -> Truth:
    """What is true of its opponent before and after."""
    return lambda scene: scene.opponent_after is not None and what(scene.opponent_before, scene.opponent_after)


def opponent_gone(scene: Any) -> bool:
    """Its opponent is dead."""
    return scene.opponent_after is None or scene.opponent_after.state == "Z"


def spoke_for_opponent(scene: Any) -> bool:
    """Its words came out of its opponent's pipe."""
    return scene.tag.encode() in scene.opponent_said


def opponent_holds_other(scene: Any) -> bool:
    """Its opponent's memory is not what it was."""
    return scene.opponent_holds != scene.stage.token.encode()


def signalled(number: int) -> Truth:
    """We have this signal waiting."""
    return lambda scene: number in scene.signals


def limited_us(scene: Any) -> bool:
    """Our own limit is another."""
    return scene.canary_before[2] != scene.canary_after[2]


def itself(what: Callable[[Any], bool]) -> Truth:
    """What is true of the attacker while it lives."""
    return lambda scene: scene.facts is not None and what(scene.facts)


def holds(*marks: str) -> Truth:
    """One of its descriptors leads to something of this kind."""
    return itself(lambda facts: any(mark in link for link in facts.descriptors for mark in marks))


def raised(facts: Any) -> bool:
    """One of its hard limits is what it asked for."""
    return any(hard == str(1 << 40) for _, hard in facts.limits.values())


def reached(name: str) -> Truth:
    """Something came in at this socket of ours."""
    return lambda scene: name in scene.reached


def served(scene: Any) -> bool:
    """We could connect to it."""
    return scene.served


def elsewhere(scene: Any) -> bool:
    """One of its processes is in a namespace that it was not given."""
    return scene.namespaces


def fled(scene: Any) -> bool:
    """One of its processes is in another group than the one that is stopped and killed."""
    return any(group != scene.bot._child.pid for group in scene.processes.values())


def stayed(scene: Any) -> bool:
    """A process of it was there after its end, before the sweep."""
    return bool(scene.stays)


def ran_on(scene: Any) -> bool:
    """It used CPU while it was not asked."""
    return scene.used_while_frozen > 0.003


def outlived(scene: Any) -> bool:
    """It was alive after its spawner had been killed."""
    return bool(scene.stays)


def typed(scene: Any) -> bool:
    """What it typed can be read in the terminal."""
    return scene.tag.encode() in scene.typed


def device(scene: Any) -> bool:
    """There is a device in its scratch folder."""
    return scene.scratch[2]


def mounted(scene: Any) -> bool:
    """It sees the file system that it mounted."""
    return scene.facts is not None and f"tmpfs {scene.tag} " in scene.facts.mounts


def always(_: Any) -> bool:
    """It works unless it is watched."""
    return True


def peak(name: str, most: float) -> Truth:
    """At some moment there was more of this than allowed."""

    def proof(scene: Any) -> bool:
        return scene.peaks.get(name, 0) > most

    proof.measures = name  # type: ignore[attr-defined]
    return proof


def line_of(path: str) -> Truth:
    """It said a line of this file."""
    return lambda scene: any(line in scene.said for line in Path(path).read_text().splitlines() if len(line) > 15)


USR1, USR2, URG = signal.SIGUSR1, signal.SIGUSR2, signal.SIGURG
QUEUED, BY_DESCRIPTOR, BY_PIPE = (signal.SIGRTMIN + number for number in (1, 2, 3))
SIGNALS = {USR1, USR2, URG, QUEUED, BY_DESCRIPTOR, BY_PIPE}
"""Signals that the batch blocks, so that they wait to be seen."""
