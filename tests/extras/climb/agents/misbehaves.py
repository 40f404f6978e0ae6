"""An agent that edits its bot, and then misbehaves: its arguments name a way for each round."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

(bot,) = Path.cwd().iterdir()
bot.write_text(bot.read_text() + "# edited\n")


def crashes():
    raise SystemExit("I give up")


def never_ends():
    subprocess.Popen(["sleep", "600"])
    time.sleep(600)


def empties_its_folder():
    bot.unlink()


def fills_the_disk():
    with open("large", "wb") as file:
        while True:
            file.write(b"x" * 1_000_000)


def makes_many_files():
    for number in range(20_100):
        Path(f"{number}").touch()
    time.sleep(600)


def links_to_a_file():
    bot.unlink()
    bot.symlink_to("/etc/passwd")


def links_to_a_device():
    bot.unlink()
    bot.symlink_to("/dev/zero")


def makes_a_pipe():
    bot.unlink()
    os.mkfifo(bot)


def breaks_its_bot():
    bot.write_text("#!/bin/sh\necho broken >&2\nexit 1\n")


def is_shown_as_another():
    Path("bot.toml").write_text(f'command = "./{bot.name}"\ndisplay = "b\u043eb"\n')


def plays_only_what_it_is_good_at():
    Path("bot.toml").write_text(f'command = "./{bot.name}"\nroles = ["hare"]\n')


def floods_the_model():
    while True:
        print("model nonsense", flush=True)


def prints_without_end():
    while True:
        print("x" * 100_000, end="", flush=True)


def changes_nothing():
    bot.write_text(bot.read_text().replace("# edited\n", ""))


task = json.loads(Path(os.environ["ARENA_FEEDBACK"], "task.json").read_text())
globals()[sys.argv[task["round"]]]()
