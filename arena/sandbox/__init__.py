"""How a child is confined and started: the one door through which every bot process comes to life.

`door.py` is what the rest of arena uses; `spawner.py` is the small process behind it; `folder.py` is what a bot sees on
disk; each level of confinement is one file (`rlimits.py`).
"""
