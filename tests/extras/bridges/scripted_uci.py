"""A chess engine without chess: it plays the moves that its arguments name, and misbehaves as they
say.

Words: `e2e4` and other moves, in order; `crash`, `hang`, `hang-start`, `flood`, `line`, `close`,
`slow`. The last one holds for all later turns.
"""

import os
import sys
import time

script = sys.argv[1:]
log = open("/dev/stderr", "w")  # noqa: SIM115 (until the end)


def say(text: str) -> None:
    print(text, flush=True)


for line in sys.stdin:
    words = line.split()
    print(line, end="", file=log, flush=True)
    if words[0] == "uci":
        if script[0] == "hang-start":
            time.sleep(60)
        say("id name Scripted\noption name Hash type spin default 1 min 1 max 8")
        say("option name Use Book type check default true")
        say("option name Style type combo default Solid var Solid var Very Risky\nuciok")
    elif words[0] == "isready":
        say("readyok")
    elif words[0] == "go":
        do = script.pop(0) if len(script) > 1 else script[0]
        say("info depth 7 seldepth 9 score cp -34 nodes 99 pv e2e4")
        if do == "crash":
            sys.exit(7)
        if do == "hang":
            time.sleep(60)
        if do == "flood":
            while True:
                say("info string flood" * 100)
        if do == "line":
            say("x" * 70_000)
        if do == "close":
            os.close(1)
            time.sleep(60)
        if do == "slow":  # it thinks until it is told to stop
            assert sys.stdin.readline() == "stop\n"
            do = "e2e4"
        say(f"bestmove {do}")
    elif words[0] == "quit":
        break
