"""Which matches are kept where there are too many: the most telling first, then the newest. Pure."""

from collections.abc import Collection, Iterable, Mapping

from arena.event import Played


def order(played: Iterable[Played], newest: Mapping[str, int], telling: Iterable[str]) -> tuple[str, ...]:
    """The ids of the matches, those first that are missed most.

    First what the bots' pages link to (`telling`), then the newest of every seating, so that no cell of a crosstable is
    empty, then the others, newest first.
    """
    late_first = sorted(played, key=lambda match: newest.get(match.id, 0), reverse=True)
    seatings: dict[object, str] = {}
    for match in late_first:
        seatings.setdefault((match.label, tuple(match.seats.values())), match.id)
    ids = {match.id for match in late_first}
    linked = (match for match in telling if match in ids)
    return tuple(dict.fromkeys((*linked, *seatings.values(), *(match.id for match in late_first))))


def kept(played: Iterable[Played], ids: Collection[str]) -> tuple[Played, ...]:
    """These matches as a list shows them: by board, repeat and bots, as in matches.csv."""
    wanted = set(ids)
    return tuple(sorted((match for match in played if match.id in wanted), key=_place))


def _place(match: Played) -> tuple[object, ...]:
    return match.label, match.repeat, tuple(match.seats.values()), match.id
