"""report.html: one file without network, with the tables, the charts and replays of the matches.

It owns what the file holds, and what is left out where there is too much; `html/` owns how it looks
and moves. Bots and games may have written any text in it: Python cleans it (`protocol.clean`), the
template escapes it, the scripts make text nodes of it, and the page's policy lets nothing run or
load that is not in the file itself.

Where to change what (paths begin below arena/):

- the columns that the report keeps on a narrow page: `report/html/leaderboard.js`
- which matches the report holds when not all fit: `report/data.py` `by_importance`; the limits:
  `report/writing.py` `REPLAYED`, `SIZE_BYTES`
- to mute a bot, or to show less of what it prints: here `report/recorded.py` `moves` (remarks) and
  `last_lines` (stderr); all places: the row in `match/__init__.py`
- who can read a bot's stderr: all, in the report (`report/recorded.py`) and in `arena replay`
  (`cli/match_text.py`); what the report for one author leaves out: `report/author.py`
- the replay in the browser: `report/html/replay.js`, `report/html/playback.js`,
  `report/html/board.js`; its data: `report/replays.py`; in a notebook: `report/notebook.py`,
  `report/html/_notebook.js`
- what an author may know: `report/author.py`
- a game's own view: what it may do, how it is confined: `report/viewer.py`, `report/html/_frame.js`
  (in the frame), `report/html/viewer.js` (the page's side); hostile ones: `tests/bad_viewers/`;
  docs/viewers.md
"""
