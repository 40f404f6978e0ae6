"""A match as a notebook shows it: the replay of the report in a confined frame.

The text that it shows is a stranger's, and so are the scripts of its frame to the notebook: the
frame has an origin of its own, no network, and escaped text only, and can reach nothing of the
notebook.
"""

from markupsafe import Markup

from arena.display_names import display_names
from arena.games import rulebook
from arena.report import data, page, replays
from arena.values import Played, Record

HEIGHT_PX = 760
FRAME = Markup(
    '<iframe sandbox="allow-scripts" width="100%" height="{}" frameborder="0" srcdoc="{}"></iframe>'
)


def frame(record: Record) -> str:
    """Return the replay of a match as an element of HTML."""
    match = record.match
    names = display_names(dict.fromkeys(seat.bot for seat in match.seats))
    games = replays.Games(rulebook.game_of_record)
    values = data.match_values(record, Played.of(record), names, games, "")
    text = page.match_text(values, f"{match.label}: {' against '.join(names.values())}")
    return str(FRAME.format(HEIGHT_PX, text))
