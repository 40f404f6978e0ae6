"""The games: finds, loads and checks rules files. Nothing here knows a bot's process or a match.

Where to change what (paths begin below arena/):

- a game: a file in rules/ and its boards in a TOML file of the same name; rules/surround.py is the
  model of a game for many, and docs/game-authors.md says how to write it; one that comes with arena
  also stands in rules/README.md, docs/protocol.md (its facts), docs/endings.md (its reasons) and
  `tests/pages.py` (a dialogue); `tests/playthroughs/make.py` writes how it goes
- which openings are drawn, what a line of a file of openings is, when a match counts as decided:
  `games/openings.py` (`decided`); which opening a match gets: `values.py` `Event`; who plays it:
  `match/referee.py`
- which boards are sampled, and what makes them worth playing: the file beside the rules that the
  board's table names as its generator; who draws them: `games/boards.py` `sampled_board`; when
  those on disk are valid: `games/board_cache.py`; which one a match gets: `values.py` `Event`
- what a blunder or a regret is, which moves count: `games/quality.py`, `results/accuracy.py`; the
  solver: `games/solver.py`; the search that estimates Pacman's moves: `games/pursuit.py`
  `Pursuit`, which the rules of Pacman call
- what a game may declare of its look: `drawing.py`; how facts become a scene, for every painter:
  `replay/drawing/scene.py`; shapes and colours: `replay/drawing/shapes.py`,
  `replay/drawing/styles.py`; a terminal: `replay/drawing/signs.py`, `replay/drawing/lattice.py`,
  `replay/drawing/__init__.py`; the report and the site: `report/boards.py`,
  `report/html/board.js`; a mistake in a declaration: `games/conformance/laws.py` `drawing`
- what `arena check-rules` finds: `games/conformance/laws.py`
- how OpenSpiel's games become boards: openspiel.py in the folder of the rules, then
  `tests/openspiel_games.py`, which tests every game and writes the table of docs/openspiel.md; it
  takes minutes
- which words of a game change on a board in disguise: its `manual`, read by `games/manual.py`
- how facts and moves become numbers for bots that learn: `encoding.py`; the environments:
  `pettingzoo.py`; the page: docs/rl.md
"""
