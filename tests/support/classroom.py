"""A class's folder of submissions, and a workspace with a game that is over after two turns."""

import io
import os
import tarfile
import zipfile
from pathlib import Path

from arena.author.submissions import BotStore, People, Submissions
from arena.author.submissions.requests import request
from arena.event.discovery.notes import Note
from tests.support import cup, workspaces

GOOD, LAST = cup.FIRST, cup.LAST
BAD = {
    "no_newline": GOOD.replace("say(legal[0])", "print(legal[0], end='', flush=True)"),
    "wrong_case": GOOD.replace("legal[0]", "legal[0].upper()"),
    "wrong_version": "import sys\nprint 'ready'\n",
    "import_crash": "import numpy_of_my_own\n" + GOOD,
    "debug": GOOD.replace("        time.sleep", "        print('thinking')\n        time.sleep"),
    "empty": "",
}
LOOP = GOOD.replace("time.sleep(0)", "while time.process_time() < 0.3: pass\n        time.sleep(9)")
"""Computes until its time is over; an endless loop would use a core until it is killed."""
REASONS = {
    "no_newline": "end every answer with a newline, and flush it",
    "wrong_case": "case matters",
    "wrong_version": "not valid Python here",
    "import_crash": "No module named 'numpy_of_my_own'",
    "infinite_loop": "it computes all the time",
    "debug": "stdout is for answers only",
    "empty": "before its answer",
    "no_build": "its build failed: cc -o bot bot.c: it ended with exit 1",
    "other_machine": "made for another machine",
    "too_large": "larger than 50 MB",
    "link_out": "this link leaves the bot's folder",
    "slip": "leads out of its archive",
}
"""Every broken submission, with part of the reason that its author gets."""
NAMES = {
    "Anna Müller": "Anna_Muller",
    "José García": "Jose_Garcia",
    "Łukasz": "Lukasz",
    "李雷": "LiLei",
    "O'Neil": "ONeil",
    "final (2)": "final_2",
}
"""The names of people, and the names of their bots."""
PEOPLE = """\
name,e-mail,id
Anna Müller,anna@school.example,s1
Łukasz Żak,lukasz@school.example,s2
No Show,,s3
"""
BUILDS = 'command = "./bot"\nbuild = "cc -o bot bot.c"\n'


def submitted(bots: Path, **people: str) -> None:
    """Store that these bots of a stored event were submitted by the people with these ids.

    An empty id is of a submission from before people were known.
    """
    for name, person in people.items():
        folder = bots / "_versions" / name / "1"
        folder.mkdir(parents=True)
        (folder / f"{name}.py").write_text(GOOD)
        note = Note(number=1, digest=f"digest of {name}", source=f"{name}.py", person=person)
        (folder / ".version.json").write_text(note.text())


def untried(folder: Path, crowd=(), faults=lambda _: (), reserved=()) -> Submissions:
    """Return submissions to the bots of a folder, which are taken without a trial, unless they have
    `faults`.
    """
    (folder / "bots").mkdir(exist_ok=True)
    return Submissions(
        BotStore(folder / "bots"), lambda bots: map(faults, bots), reserved, People(crowd)
    )


def submit(submissions, path: Path, name: str | None = None, *, replaces: bool = False):
    """Hand in one bot, and return the decision."""
    (decision,) = submissions.submit_all([request(path, name, replaces=replaces)])
    return decision


def workspace(folder: Path, **bots: str) -> Path:
    """Make a workspace with these bots, put there by hand."""
    return workspaces.make(folder, bots, "words", seed=7, time={"start": 5.0, "move": 0.5})


def folder_bot(
    folder: Path, toml: str = 'command = "python bot.py"\n', program: str = GOOD
) -> Path:
    folder.mkdir(parents=True)
    (folder / "bot.toml").write_text(toml)
    (folder / "bot.py").write_text(program)
    return folder


def zipped(path: Path, **files: str) -> Path:
    """Make a zip of these files; `__` in a key stands for `/`, and `dots` for `..`."""
    with zipfile.ZipFile(path, "w") as packed:
        for name, text in files.items():
            packed.writestr(
                name.replace("__", "/").replace("dots", "..").replace("_py", ".py"), text
            )
    return path


def tarred(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, "w") as packed:
        for info, content in members:
            info.size = len(content)
            packed.addfile(info, io.BytesIO(content))
    return path


def make(folder: Path) -> Path:
    """Make the folder of a class: sound bots of every shape, and each broken one."""
    folder.mkdir()
    folder_bot(folder / "in_a_folder", 'command = "python bot.py"\nauthor = "Ann"\n')
    zipped(folder / "zipped.zip", zipped__bot_py=GOOD)
    for number, name in enumerate(NAMES):
        text = f"# {name}\n{GOOD}"
        if number % 3 == 0:
            (folder / f"{name}.py").write_text(text)
        elif number % 3 == 1:
            (folder / name).mkdir()
            (folder / name / "bot.py").write_text(text)
        else:
            (folder / name).mkdir()
            (folder / name / "main.py").write_text(f"import helper\n{text}")
            (folder / name / "helper.py").touch()
    for name, text in BAD.items():
        (folder / f"{name}.py").write_text(text)
    folder_bot(folder / "infinite_loop", 'command = "python bot.py"\nroles = ["one"]\n', LOOP)
    folder_bot(folder / "no_build", BUILDS)
    (folder / "no_build" / "bot.c").write_text("int main(void) { return ready; }\n")
    (folder / "other_machine").write_bytes(
        b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\xb7\x00" + bytes(44)
    )
    (folder / "other_machine").chmod(0o755)
    folder_bot(folder / "too_large")
    with (folder / "too_large" / "weights.bin").open("wb") as file:
        file.truncate(200_000_000)
    folder_bot(folder / "link_out")
    (folder / "link_out" / "neighbour.py").symlink_to("../zipped.zip")
    zipped(folder / "slip.zip", dots__dots__slipped_py=GOOD, bot_py=GOOD)
    return folder


def everything(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Every file below a folder, by what would change if somebody wrote to it."""
    found = {}
    for root, folders, names in os.walk(folder):
        for name in (*folders, *names):
            info = os.lstat(os.path.join(root, name))
            found[os.path.relpath(os.path.join(root, name), folder)] = (
                info.st_mode,
                info.st_size,
                info.st_mtime_ns,
            )
    return found
