"""Results from elsewhere: `arena import` makes an archive of them. Page: docs/extras/imports.md.

It decides what a file of results may be, and what an archive without moves is.
"""

# What a file may be
# ------------------
# - CSV, in one of two layouts. Long: a row for each seat, with the columns `match`, `bot`, and
#   `score` or `result`, and optionally `role`, `side`, `ending`, `seconds`. Wide: a row for each
#   match, with the same columns for each role, such as `white_bot` and `white_score`: arena's own
#   matches.csv is one. In both, `game`, `board`, `date` and `reason` are those of the match.
# - PGN, of which the tags are read, and of the moves only the result at their end and a hash.
# - SGF, of which the root of each game is read, and of the rest only a hash. Each reader yields an
#   `OutsideMatch` at a time (outside.py), so that a file of any length needs little memory. PGN and
#   SGF are read here, because the known packages for them are GPL, or read whole games.
#
# What an archive without moves is
# --------------------------------
# Its event has the schedule "imported", which plans nothing and which no tournament.toml can name:
# all that is stored counts. The path of the rules of its boards is "imported", too. From these two
# the core knows that there are no moves and no rules: `replay`, `rerun`, `match --from` and `clip`
# say that there is nothing to replay; `lessons` finds no match that it could read; `verify` checks
# that tables agree with records, and says that no rules were asked; the report lists matches
# without replays; `run` refuses to play beside imported matches; `merge` joins archives of this
# kind as others. `check` tests programs, and never looks here. Ratings, charts, leaderboards,
# comparisons and exports read what they always read. A record is a record without turns; nobody
# knows how its match went, so it is never taken for a copy of another one, and each match is a
# meeting of its own in the intervals.
#
# Which match is which
# --------------------
# A match that its file names, in the column `match`, has an id of game, board and this name. It
# stands in a file once, and an archive that has another result of it refuses the file. Any other
# match has an id of all that its file says of it, and of how many equal ones stand before it in the
# file. So a file that has grown is imported again, and only its new matches are added; the same
# games in two files are stored once.
#
# A home advantage is one of roles: white and black, home and away. A draw is 50 points for both. A
# `*` is no result and is left out. A loss on time is the ending `timeout`; the other words of PGN
# and SGF that say whose fault it was are endings, too (pgn.py, sgf.py).
#
# All is stored in one transaction. A new archive is made in a folder beside its own and then gets
# its name. So after a mistake in the last line, or a kill, there is the old archive or the new one.

from arena.extensions import AddedCommand, Extension

EXTENSION = Extension(
    commands=(
        AddedCommand(
            name="import",
            line="Make an archive of results from elsewhere: CSV, PGN, SGF.",
            path="arena.extras.imports.command:import_",
        ),
    ),
)
