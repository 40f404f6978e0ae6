"""Bridges: bots that exist already, and speak in another way, play without a change.

A bridge is a program of `programs/` between the protocol and the bot. It runs confined together
with the bot: what both use counts as the bot's. Page: docs/extras/bridges.md.

How `bridge = "uci"` in a bot.toml becomes a command is written in event/discovery/bridged.py.
`programs/arena_bridge.py` has what the bridges share, and each other file there is one bridge. They
are run by bots and never imported here, so they may use the kit and nothing else of arena.

Where to change what (paths begin below arena/):

- how an engine's process is asked, and the words for its faults:
  `extras/bridges/programs/arena_engine.py`
- the small bot with which `arena new --bridge` begins: `extras/bridges/skeletons/`, which the page
  shows to the letter
- the games of GTP: `extras/bridges/programs/gtp_bridge.py` `GAMES`
- the games of Kaggle: `extras/bridges/programs/kaggle_bridge.py` `GAMES`
- the command, the digest and the processes of a bot behind a bridge: `event/discovery/bridged.py`,
  `sandbox/toolchain.py` `resolved`, `event/config/__init__.py` `as_entered`
"""

from arena.extensions import AddedBridge, AddedOptions, Extension

EXTENSION = Extension(
    options=(AddedOptions(command="new", path="arena.extras.bridges.command:new"),),
    bridges={
        "kaggle": AddedBridge(
            path="arena.extras.bridges:programs/kaggle_bridge.py",
            skeleton="arena.extras.bridges:skeletons/kaggle",
            line="A file with `def agent(observation, configuration)`.",
        ),
        "uci": AddedBridge(
            path="arena.extras.bridges:programs/uci_bridge.py",
            skeleton="arena.extras.bridges:skeletons/uci",
            line="A chess engine that speaks UCI.",
            games=("openspiel/chess",),
            starts_engine=True,
        ),
        "xboard": AddedBridge(
            path="arena.extras.bridges:programs/xboard_bridge.py",
            skeleton="arena.extras.bridges:skeletons/xboard",
            line="A chess engine that speaks as XBoard does.",
            games=("openspiel/chess",),
            starts_engine=True,
        ),
        "gtp": AddedBridge(
            path="arena.extras.bridges:programs/gtp_bridge.py",
            skeleton="arena.extras.bridges:skeletons/gtp",
            line="An engine of Go, Hex or Othello that speaks GTP.",
            games=("openspiel/go(board_size=9)",),
            starts_engine=True,
        ),
        "codingame": AddedBridge(
            path="arena.extras.bridges:programs/codingame_bridge.py",
            skeleton="arena.extras.bridges:skeletons/codingame",
            line="A program that reads and writes the lines of one game, by a template.",
            starts_engine=True,
        ),
        "pettingzoo": AddedBridge(
            path="arena.extras.bridges:programs/pettingzoo_bridge.py",
            skeleton="arena.extras.bridges:skeletons/pettingzoo",
            line="A file with a policy that was trained with `arena.pettingzoo`.",
        ),
        "openspiel": AddedBridge(
            path="arena.extras.bridges:programs/openspiel_bridge.py",
            skeleton="arena.extras.bridges:skeletons/openspiel",
            line="A file with a bot of OpenSpiel, which has `step(state)`.",
            games=("openspiel",),
        ),
    },
)
