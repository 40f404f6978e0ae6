"""Makes a POSIX message queue, which would outlive it."""

from attack import attack, checked, libc, target


@attack
def _():
    librt = libc if hasattr(libc, "mq_open") else __import__("ctypes").CDLL("librt.so.1")
    checked(librt.mq_open(f"/{target.tag}".encode(), 0o102, 0o600, None))
