"""An agent that puts a bot in the place of one that does not work, as the faults in its feedback say."""

import os
from pathlib import Path

faults = Path(os.environ["ARENA_FEEDBACK"], "faults.txt").read_text()
if "it ended before its answer" in faults:
    Path("mute.py").write_text("""\
import sys

for line in sys.stdin:
    if line == "ready?\\n":
        print("ready", flush=True)
    elif line.startswith("go"):
        print("walk", flush=True)
""")
