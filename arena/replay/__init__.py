"""A recorded match again: shown by turns, reconstructed as lines, played once more, or verified.

Where to change what (paths begin below arena/):

- what the chance to win is, and when it breaks: `replay/chances.py`; what makes positions alike:
  `replay/like_positions.py`; its drawing: `report/html/chances.js`
- the text of one match: `replay/notation.py`; a change that an older arena cannot read is a new
  format (docs/releasing.md, "What is stored"); then docs/export.md
"""
