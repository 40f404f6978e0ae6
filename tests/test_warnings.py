"""Nothing of ours is deprecated: an event is stored and read with every warning an error."""

import os
import subprocess
import sys
from pathlib import Path

CODE = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import stored
from arena.results.archive import Archive
from arena.results.leaderboard import Results, write_csv
folder, event = Path(sys.argv[2]), stored.event("ann", "bob")
stored.store(folder, event, map(stored.played, stored.plan(event)))
(first, *_) = [match.id for match in stored.plan(event)]
with Archive.open(folder, writing=False) as archive:
    assert archive.record(first[:8]).match.id == first
results = Results.open(folder)
write_csv(results, folder)
results.close()
"""


def test_an_event_is_stored_and_read_without_one_warning(tmp_path):
    command = [sys.executable, "-W", "error", "-c", CODE, str(Path(__file__).parent), str(tmp_path)]
    done = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
