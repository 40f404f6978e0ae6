"""A match as a notebook shows it: the replay of the report, in a frame that can reach nothing of the notebook.

The text that it shows is a stranger's, and so are the scripts of its frame to the notebook: the frame has an origin of
its own, no network, and escaped text only.
"""

from markupsafe import Markup

from arena.display_names import display_names
from arena.games import rulebook
from arena.report import data, page, replays
from arena.values import Played, Record

HEIGHT_PX = 760


def frame(record: Record) -> str:
    """Return the replay of a match as an element of HTML."""
    match = record.match
    names = display_names(dict.fromkeys(seat.bot for seat in match.seats))
    values = data.match_values(
        record, Played.of(record), names, replays.Games(rulebook.game_of_record), ""
    )
    text = page.match_text(values, f"{match.label}: {' against '.join(names.values())}")
    return str(
        Markup(
            '<iframe sandbox="allow-scripts" width="100%" height="{}" frameborder="0" srcdoc="{}"></iframe>'
        ).format(HEIGHT_PX, text)
    )
