"""The choice of matches for a file that has no room for all: the most informative first, then the newest. Pure."""

from collections.abc import Collection, Iterable, Mapping

from arena.values import Played


def order(played: Iterable[Played], newest: Mapping[str, int], linked_ids: Iterable[str]) -> tuple[str, ...]:
    """Return the ids of the matches, the most important first.

    The first are those that the bots' pages link to (`linked_ids`), then the newest of every seating, so that every
    cell of a crosstable has a match, then the others, newest first.
    """
    late_first = sorted(played, key=lambda match: newest.get(match.id, 0), reverse=True)
    seatings: dict[object, str] = {}
    for match in late_first:
        seatings.setdefault((match.label, tuple(match.seats.values())), match.id)
    ids = {match.id for match in late_first}
    linked = (match for match in linked_ids if match in ids)
    return tuple(dict.fromkeys((*linked, *seatings.values(), *(match.id for match in late_first))))


def kept(played: Iterable[Played], ids: Collection[str]) -> tuple[Played, ...]:
    """Return these matches in the order of a list: by board, repeat and bots, as in matches.csv."""
    chosen = set(ids)
    listed = (match for match in played if match.id in chosen)
    return tuple(sorted(listed, key=lambda match: (match.label, match.repeat, tuple(match.seats.values()), match.id)))
