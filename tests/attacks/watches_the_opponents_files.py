"""Has itself told whenever a file outside is used (inotify)."""

from attack import attack, call, held, target


@attack
def _():
    held.append(call("inotify_init1", 0))
    call("inotify_add_watch", held[0], target.canary.encode(), 0xFFF)
