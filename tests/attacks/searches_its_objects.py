"""Looks through every object, frame and module that its interpreter has for what its opponent was
told.
"""

import gc
import sys

from attack import attack, tell


def attempt():
    """What can be reached from its own frame, from the modules and from all that the collector
    knows.
    """
    gc.unfreeze()  # else the collector is silent about what was there before a fork
    frame, found = (
        sys._getframe(),
        [*gc.get_objects(), *gc.get_referrers(sys.modules), *sys.modules.values()],
    )
    while frame:
        found += [frame, frame.f_locals, frame.f_globals]
        frame = frame.f_back
    found += [
        one
        for some in list(found)
        if isinstance(some, (list, tuple, dict))
        for one in gc.get_referents(some)
    ]
    texts = {one for one in found if isinstance(one, (str, bytes))}
    tell(f"{len(texts)} texts")
    for text in texts:
        text = text if isinstance(text, str) else text.decode("latin-1")
        if "secret=" in text:
            tell(text[:200])


attack(attempt)
