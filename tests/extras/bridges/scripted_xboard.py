"""A chess engine of CECP without chess: it plays the moves that its arguments name, and misbehaves
as they say.

Words: `e2e4` and other moves, in order; `crash`, `hang`, `flood`, `resign`, `1/2-1/2`, `refuse`
(the move of the other side), `old` (no features). The last one holds for all later turns.
"""

import sys
import time

script = sys.argv[1:]
old = script[0] == "old"
if old:
    del script[0]


def say(text: str) -> None:
    print(text, flush=True)


for line in sys.stdin:
    print(line, end="", file=sys.stderr, flush=True)
    command, *words = line.split()
    if command == "protover" and not old:
        say('feature ping=1 usermove=1 san=1 memory=1 myname="Scripted" done=0')
        say('feature option="Style -combo Solid /// *Very Risky" option="Use Book -check 1"')
        say('feature option="Contempt -spin 0 -10 10" done=1')
    elif command == "ping":
        say(f"pong {words[0]}")
    elif command == "usermove" and script[0] == "refuse":
        say(f"Illegal move: {words[0]}")
    elif command == "sd" and words != ["1"]:
        say(f"Error (unknown command): {line.strip()}")
    elif command == "go":
        do = script.pop(0) if len(script) > 1 else script[0]
        say(" 7  -34  12  99  e4 e5")
        if do == "crash":
            sys.exit(7)
        if do == "hang":
            time.sleep(60)
        while do == "flood":
            say("# flood" * 100)
        if do in {"resign", "1/2-1/2"}:
            say(f"{do} {{so it says}}")
        else:
            say(f"move {do}" if not old else f"My move is : {do}")
            say("1-0 {which is no answer to the next question}" if not old else "")
    elif command == "quit":
        break
