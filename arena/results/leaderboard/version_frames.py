"""The versions of the bots as a frame: how each was rated and placed while it played. Pure.

All matches that were ever played are in one fit, in which each version is a bot of its own. So an old version is rated
on the same scale as a new one, also if the two never met: others met both.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from arena.results.anytext import pd
from arena.results.archive import Span
from arena.results.columns import VERSIONS
from arena.results.ratings import Strength


def versions(spans: Sequence[Span], rated: Mapping[tuple[str, str], Strength]) -> pd.DataFrame:
    """Return a row for each version, by bot and in the order of first matches; `rated` is by bot and digest.

    A version's rank is among the versions that played last before its last match, one of each bot; bots that left
    before its first match do not count.
    """
    numbers: Counter[str] = Counter()
    rows: list[tuple[object, ...]] = []
    for span in spans:
        numbers[span.bot] += 1
        strength = rated[span.bot, span.digest]
        latest: dict[str, Span] = {}
        for other in spans:
            if other.first <= span.last and other.bot != span.bot:
                latest[other.bot] = other  # spans are in order of their first matches
        field = [rated[other.bot, other.digest].value for other in latest.values() if other.last >= span.first]
        rank = 1 + sum(value > strength.value for value in field)
        rows.append((span.bot, numbers[span.bot], span.digest, rank, *strength, span.matches))
    frame = pd.DataFrame(rows, columns=VERSIONS.names)
    return frame.sort_values(["bot", "version"], ignore_index=True)
