"""Bridges: bots that exist already, and speak in another way, play without a change.

A bridge is a program of `programs/` between the protocol and the bot. It runs confined together
with the bot: what both use counts as the bot's. Page: docs/extras/bridges.md.

How `bridge = "uci"` in a bot.toml becomes a command is written in event/discovery/bridged.py.
`programs/arena_bridge.py` has what the bridges share, and each other file there is one bridge. They
are run by bots and never imported here, so they may use the kit and nothing else of arena.

Where to change what (paths begin below arena/):

- the games of Kaggle: `extras/bridges/programs/kaggle_bridge.py` `GAMES`
- the command, the digest and the processes of a bot behind a bridge: `event/discovery/bridged.py`,
  `sandbox/toolchain.py` `resolved`, `event/config/__init__.py` `as_entered`
"""

from arena.extensions import AddedBridge, Extension

EXTENSION = Extension(
    bridges={
        "kaggle": AddedBridge(
            path="arena.extras.bridges:programs/kaggle_bridge.py",
            line="A file with `def agent(observation, configuration)`.",
        ),
        "openspiel": AddedBridge(
            path="arena.extras.bridges:programs/openspiel_bridge.py",
            line="A file with a bot of OpenSpiel, which has `step(state)`.",
        ),
    },
)
