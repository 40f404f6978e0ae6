"""Pictures for sharing: clips of matches, a leaderboard, a badge. It draws the scenes of arena/replay/drawing."""
