"""Opens a file system by fsopen."""

from attack import attack, call, held, new_user_namespace


@attack
def _():
    try:
        new_user_namespace(0x20000)
    finally:
        held.append(call("fsopen", b"tmpfs", 0))
