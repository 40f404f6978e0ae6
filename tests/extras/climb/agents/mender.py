"""An agent that puts a bot in the place of one that does not work, as the faults in its feedback
say.
"""

import os
from pathlib import Path

faults = Path(os.environ["ARENA_FEEDBACK"], "faults.txt").read_text()
if "it ended before its answer" in faults:
    Path("mute").write_text("""\
#!/bin/sh
while read -r word rest; do
  case $word in
    'ready?') echo ready ;;
    go) echo walk ;;
  esac
done
""")
