"""The work of a run, sorted into pairings: the matches of a pairing all go to one machine.

A pairing here is all legs of two or more bots with the same repeat. It goes to one machine, so that
the machine's speed favours neither side. Schedules plan the legs of a pairing one after the other.
A leg that comes later, because it is played again, goes to the machine of its pairing if that is
still there.
"""

from collections import OrderedDict, deque
from collections.abc import Callable

from arena.event.director import Work
from arena.extras.cluster.machine import Machine, MachineState

PAIRINGS_KNOWN = 10_000
"""The number of pairings whose machines are remembered, the newest, for legs played again."""


class Pairings:
    """The items that wait for a machine, and the machine of each pairing."""

    def __init__(self) -> None:
        self._taken: deque[Work] = deque()
        """Items that may go to any machine."""
        self._backlog: dict[Machine, deque[list[Work]]] = {}
        """Pairings that wait for the machine that has played their other legs."""
        self._owners: OrderedDict[int, Machine] = OrderedDict()
        """The machine of each pairing, by the hash of its key, which takes a quarter of the memory
        of the key. Two pairings of the same hash go to the same machine, and that is all."""

    def __bool__(self) -> bool:
        """Return whether an item waits."""
        return bool(self._taken) or any(self._backlog.values())

    def next_parcel(self, machine: Machine, items: Callable[[], Work | None]) -> list[Work]:
        """Return the items of the next parcel for a machine; empty when there are none now.

        `items` returns the run's next item, None when there is none.
        """
        parcel: list[Work] = []
        forfeits = 0
        backlog = self._backlog.get(machine)
        while not machine.is_enough(len(parcel) - forfeits, forfeits):
            if backlog:
                pairing = backlog.popleft()
            else:
                pairing = self._next_pairing(items)
            if not pairing:
                break
            key = pairing[0].pairing
            if key is not None:
                number = hash(key)
                owner = self._owners.get(number, machine)
                if owner is not machine and owner.state is MachineState.READY:
                    self._backlog.setdefault(owner, deque()).append(pairing)
                    continue
                self._owners[number] = machine
                if len(self._owners) > PAIRINGS_KNOWN:
                    self._owners.popitem(last=False)
            parcel += pairing
            forfeits += sum(bool(item.absent) for item in pairing)
        return parcel

    def take_next(self, items: Callable[[], Work | None]) -> None:
        """Take an item of the run if none waits, to know whether the run has any work."""
        if self._taken:
            return
        item = items()
        if item is not None:
            self._taken.append(item)

    def release(self, machine: Machine) -> None:
        """Let any machine have the pairings that wait for this one."""
        for pairing in self._backlog.pop(machine, ()):
            self._taken.extend(pairing)

    def hand_back(self) -> list[Work]:
        """Return all items that wait, in the order of the run, and forget them."""
        waiting: list[Work] = []
        for pairings in self._backlog.values():
            for pairing in pairings:
                waiting.extend(pairing)
        waiting.extend(self._taken)
        self._backlog.clear()
        self._taken.clear()
        return waiting

    def _next_pairing(self, items: Callable[[], Work | None]) -> list[Work]:
        """Return the items that follow each other and have the same key."""
        pairing: list[Work] = []
        while True:
            item: Work | None
            if self._taken:
                item = self._taken.popleft()
            else:
                item = items()
            if item is None:
                return pairing
            if pairing:
                key = pairing[0].pairing
                if item.pairing is None or item.pairing != key:
                    self._taken.appendleft(item)
                    return pairing
            pairing.append(item)
