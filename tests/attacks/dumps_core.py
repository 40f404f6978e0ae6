"""Dies with a core dump, in a folder of the organiser's."""

import os
import resource

from attack import attack, target


@attack
def _():
    os.chdir(target.folder)
    resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
    os.abort()
