"""The first three descriptors: the input, the output and the errors of every program."""

import os


def keep_standard_open() -> None:
    """Open /dev/null at those of the descriptors 0, 1 and 2 that are closed.

    Programs that are started later inherit them. A process that is started with one of them closed
    gives its number to the next file that it opens. An error message could then be written into a
    database or a socket, and a bot would start with a Landlock rule at 2. So this must be called
    before anything else is opened.
    """
    descriptor = os.open(os.devnull, os.O_RDWR)
    while descriptor <= 2:
        descriptor = os.open(os.devnull, os.O_RDWR)
    os.close(descriptor)
    for standard in range(3):
        # Python opens files so that they close on exec, also at these numbers.
        os.set_inheritable(standard, True)
