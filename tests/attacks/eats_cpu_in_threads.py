"""Burns CPU in eight threads (here: allowed are 0.1 seconds)."""

import hashlib
import threading

from attack import attack


@attack
def _():
    spins = [
        threading.Thread(target=hashlib.pbkdf2_hmac, args=("sha256", b"", b"", 10**7))
        for _ in range(8)
    ]
    for spin in spins:
        spin.start()
    for spin in spins:
        spin.join()
