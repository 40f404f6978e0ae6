"""Has itself told whenever a file outside is used (inotify)."""

from attack import attack, call, kept, target


@attack
def _():
    kept.append(call("inotify_init1", 0))
    call("inotify_add_watch", kept[0], target.canary.encode(), 0xFFF)
