"""Pictures for sharing: clips of matches, a leaderboard, a badge.

Clips draw the scenes of arena/replay/drawing.
"""
