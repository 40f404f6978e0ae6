"""An agent that makes its bot a little better in each round, if the model says yes where there is
one.
"""

import json
import os
import re
import sys
from pathlib import Path

feedback = Path(os.environ["ARENA_FEEDBACK"])
task = json.loads((feedback / "task.json").read_text())
bot = Path("ada")
skill = int(re.search(r"SKILL=(-?\d+)", bot.read_text())[1])
step = int(sys.argv[1]) if sys.argv[1:] else 4
if task["model"]:
    print(
        "model",
        json.dumps(
            {"prompt": f"{bot.name} has {skill}, and {(feedback / 'standings.csv').read_text()}"}
        ),
    )
    sys.stdout.flush()
    answer = json.loads(sys.stdin.readline().partition(" ")[2])
    step = step if answer["text"] else 0
bot.write_text(bot.read_text().replace(f"SKILL={skill}", f"SKILL={skill + step}"))
