"""The largest matching of a graph: who can be paired with whom, so that as many as possible are paired. Pure.

Swiss asks one question again and again: can the rest still be paired, if these two are? A greedy answer is wrong (the
last two may have met), and to try all pairings takes forever. Edmonds' algorithm (1965) answers it: from a bot without
a partner search an alternating path (no pair, pair, no pair ...) to another one, and change sides along it. Odd cycles
on the way are contracted to one node, the "blossom".

Rejected: networkx, whose `max_weight_matching` gave the best of all pairings of 128 bots in 0.4 to 1.6 s after 0.5 s of
import, on two shared cores; this module needs some milliseconds for one question, and a Swiss asks only for existence.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Set

Mates = dict[int, int]
"""The partner of each paired node; each pair stands here twice."""


def largest(graph: Mapping[int, Set[int]], nodes: Iterable[int], start: Mates | None = None, enough: int = -1) -> Mates:
    """Return a largest matching of these nodes, grown from `start`, or the first one of `enough` pairs.

    A node's neighbours outside `nodes` are ignored. `start` is a matching of some of the nodes.
    """
    among = dict.fromkeys(nodes)  # a dict, because it keeps the order: the answer must be the same on every machine
    mates: Mates = {} if start is None else dict(start)
    for node in among:
        if 0 <= 2 * enough <= len(mates):
            break
        if node not in mates:
            _augment(graph, among, mates, node)
    return mates


def _augment(graph: Mapping[int, Set[int]], among: Mapping[int, None], mates: Mates, root: int) -> None:
    """Pair the root, which has no partner, if an alternating path leads from it to another node without one."""
    parent: dict[int, int] = {}
    base = {node: node for node in among}
    outer, queue = {root}, deque([root])

    def ancestor(first: int, second: int) -> int:
        """Return the base of the blossom that an edge between two outer nodes closes."""
        passed = set()
        while True:
            first = base[first]
            passed.add(first)
            if first == root:
                break
            first = parent[mates[first]]
        while base[second] not in passed:
            second = parent[mates[base[second]]]
        return base[second]

    def contract(node: int, top: int, child: int, inside: set[int]) -> None:
        """Collect the bases of a blossom on the way from a node up to its top, and link them the other way round."""
        while base[node] != top:
            inside.update((base[node], base[mates[node]]))
            parent[node] = child
            child = mates[node]
            node = parent[child]

    free = [node for node in among if node not in mates and node != root]
    while queue:
        node = queue.popleft()
        # Free neighbours first: nearly always there is one at once, and no blossom needs to be contracted.
        if (end := next((near for near in free if near in graph[node]), None)) is not None:
            parent[end] = node
            following: int | None = end
            while following is not None:  # change sides all the way back to the root
                previous = parent[following]
                beyond = mates.get(previous)
                mates[following], mates[previous] = previous, following
                following = beyond
            return
        for near in among:
            if near not in graph[node] or base[near] == base[node] or mates.get(node) == near:
                continue
            if near == root or mates[near] in parent:  # an outer node: the edge closes a blossom
                top, inside = ancestor(node, near), set[int]()
                contract(node, top, near, inside)
                contract(near, top, node, inside)
                for member in among:
                    if base[member] in inside:
                        base[member] = top
                        if member not in outer:
                            outer.add(member)
                            queue.append(member)
            elif near not in parent:
                parent[near] = node
                outer.add(mates[near])
                queue.append(mates[near])
