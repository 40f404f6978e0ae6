"""Mounts a file system."""

from attack import attack, checked, libc, new_user_namespace, scratch, target


@attack
def _():
    new_user_namespace(0x20000)
    libc.mount(None, b"/", None, 0x44000, None)  # private, so that nobody else sees it
    checked(libc.mount(target.tag.encode(), scratch.encode(), b"tmpfs", 0, None))
