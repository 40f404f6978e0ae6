"""The level `rlimits`: the operating system's own limits on each process, and nothing else.

It stops a bot that eats memory or CPU by mistake. It does not hide files, other processes or the network.
"""

import math
import resource

from arena.match import Limits

OPEN_FILES = 256  # Node opens more than 64 before its first line
FILE_BYTES = 16 * 1024 * 1024
ADDRESS_SPACE = 4 * 1024**3  # a backstop for shared mappings, which RLIMIT_DATA does not count; Java reserves gigabytes


def table(limits: Limits) -> tuple[tuple[int, int, int], ...]:
    """Rows of (resource, soft, hard) for setrlimit.

    The CPU limit's hard end is a second later, so that a bot dies of SIGXCPU, which tells why.
    """
    rows = [
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_NOFILE, OPEN_FILES, OPEN_FILES),
        (resource.RLIMIT_FSIZE, FILE_BYTES, FILE_BYTES),
    ]
    if limits.memory is not None:
        rows.append((resource.RLIMIT_DATA, limits.memory, limits.memory))
        rows.append((resource.RLIMIT_AS, max(ADDRESS_SPACE, limits.memory), max(ADDRESS_SPACE, limits.memory)))
    if limits.cpu is not None:
        soft = max(1, math.ceil(limits.cpu))
        rows.append((resource.RLIMIT_CPU, soft, soft + 1))
    return tuple(rows)
