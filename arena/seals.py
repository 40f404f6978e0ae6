"""Seals: hashes that show that this user's arena wrote something, and nobody else.

A folder of results may be a stranger's. A file in it that says "this is made of these matches" or
"these records hold" could be forged as easily as the rest of the folder, so such a file has a seal:
a hash with a secret that lies in the user's state folder. Whoever can read the secret can already
write all files of this user. Without the secret, as on another machine, everything is made and
checked again.
"""

import contextlib
import os
import secrets
from functools import cache
from hashlib import blake2b
from pathlib import Path

from arena import shared_folders, whole_files

SEAL_BYTES = 16
SECRET_BYTES = 32


def seal(purpose: str, content: bytes) -> bytes:
    """Return the seal of a content, SEAL_BYTES bytes.

    `purpose` has at most 16 letters; with another one the same content has another seal.
    """
    person = purpose.encode("ascii")
    return blake2b(
        content,
        digest_size=SEAL_BYTES,
        key=_secret(),
        person=person,
    ).digest()


@cache
def _secret() -> bytes:
    """Return the secret of this user; one of this process where no file can keep it."""
    new = secrets.token_bytes(SECRET_BYTES)
    # RuntimeError: this user has no home.
    with contextlib.suppress(OSError, RuntimeError):
        folder = Path(os.environ.get("XDG_STATE_HOME", ""))
        if not folder.is_absolute():
            folder = Path.home() / ".local" / "state"
        path = folder / "arena" / "secret"
        if not path.exists():
            whole_files.make_folder(path.parent)
            whole_files.write(path, new, whole_files.PRIVATE)
        stored = shared_folders.read(path, trusted=True)
        if len(stored) == SECRET_BYTES:
            return stored
    return new
