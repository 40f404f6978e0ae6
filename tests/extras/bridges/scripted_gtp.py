"""An engine of no game: it plays the vertices that its arguments name, and misbehaves as they
say.

Words: `E5` and other vertices, `resign`, `refuse`, `crash`, `hang`; the last one holds for all
later turns.
"""

import sys
import time

script = sys.argv[1:]
for line in sys.stdin:
    print(line, end="", file=sys.stderr, flush=True)
    command, *words = line.split()
    reply = ""
    if command == "list_commands":
        reply = (
            "list_commands\nboardsize\nclear_board\nkomi\nplay\ngenmove\nlevel\ntime_settings\n"
            "time_left"
        )
    elif command == "level" and words != ["3"]:
        print("? level is 3\n", flush=True)
        continue
    elif command == "genmove":
        reply = script.pop(0) if len(script) > 1 else script[0]
        if reply == "crash":
            sys.exit(9)
        if reply == "hang":
            time.sleep(60)
        if reply == "refuse":
            print("? no idea\n", flush=True)
            continue
    print(f"= {reply}\n", flush=True)
    if command == "quit":
        break
