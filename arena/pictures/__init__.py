"""Pictures for sharing: clips of matches, a leaderboard, a badge.

Clips draw the scenes of arena/replay/drawing.

Where to change what (paths begin below arena/):

- a clip: where things stand in it: `pictures/match.py`; as SVG: `pictures/svg.py`; as pixels:
  `pictures/pixels.py`; the card of a leaderboard and badges: `pictures/card.py`
"""
