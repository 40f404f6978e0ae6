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
    bots = dict.fromkeys(seat.bot for seat in match.seats)
    names = display_names(bots)
    games = replays.Games(rulebook.game_of_record)
    played = Played.of(record)
    values = data.match_values(
        record,
        played,
        names,
        games,
        event="",
    )
    rivals = " against ".join(names.values())
    text = page.match_text(values, f"{match.label}: {rivals}")
    return str(FRAME.format(HEIGHT_PX, text))
