"""Stored results and everything that is made of them.

These are the archive, standings, ratings, leaderboards and tables. Nothing here plays a match, and
only `archive` knows SQL.

Where to change what (paths begin below arena/):

- a rating: a file in `results/ratings/` with the function of `Rule`, `results/ratings/__init__.py`;
  one with a prior: `WITH_PRIOR` there, and its fit in `results/ratings/fitting/`; its name in help
  texts: `event/config/__init__.py` `rating`, `event/config/keys.py` `RatingTable`,
  `cli/results.py` `Rating`; docs/ratings.md, docs/tournament.md, then the schema and `python
  tests/pages.py`
- how the interval of a rating is computed: `results/ratings/fitting/intervals.py`,
  `results/ratings/fitting/bootstrap.py`; which matches are repeats: `results/archive/records.py`
  `transcript`
- a tie-break: a function in `results/tiebreaks.py` and its row in `TIE_BREAKS` there (`_for_each`
  for a formula of one bot), then docs/tournament.md, which lists the names
- a column of the leaderboard, or of other results: `results/columns.py`; its cells in the same
  order: `results/leaderboard/frames.py`; figures of the leaderboard that some bots lack: `FLOATS`
  or `INTEGERS` there; then `python tests/pages.py`; the terminal: `cli/leaderboard_text.py`; where
  the report has it: `report/leaderboard.py` `ORDER`
- what a lesson is, which come first: `results/lessons.py`; exact ones: `results/blunders.py`;
  when an estimate is sure enough: `results/move_estimates.py`; in the report: `report/bots.py`,
  `report/html/bot.js`
- the file of lessons, and how a bot is led to a position: `lessons.py`
- who a student is: `author/submissions/students.py`; who a person is, whatever the name:
  `author/submissions/people.py` `recorded`
- when `arena duel` has decided: `results/sequential.py`; benchmarks/sprt.py measures its error
  rates; a duel as an event: `event/duel.py`; what it says: `event/duel_words.py`, and
  `cli/duel.py` as JSON
- a column of `arena export`: `results/export.py` `TABLES`, and `SCHEMA` unless the column is only
  added; then `python tests/pages.py`
- a format of `arena export`: `results/export.py` `FORMATS`, `_format`; its help: `cli/export.py`;
  `tests/results/test_export.py`; docs/export.md, then `python tests/pages.py`
- another database, such as Postgres: the connection, the lock, and the moment that a reader sees:
  `results/archive/database.py`; the tables: `results/archive/schema.py`; all SQL of an archive is
  in that folder; who takes it for a file: a search for `results/folders.py` `EVENT_FILE`
- where a match becomes durable, and counts: `results/archive/__init__.py` `append`, which the
  main process calls before it tells anybody; files that are written whole: `whole_files.py`
- accuracy, blunders and regret of a bot: `games/quality.py` judges a move, `results/accuracy.py`
  adds up; when that is done, and for which matches: `load_or_assess` there
"""
