"""Tests in which a bot imports a package, such as numpy.

They are skipped where packages lie outside of the interpreter's prefix, as in a copy of the tree
that borrows them: no bot may read them there.
"""

import sys
from pathlib import Path

import pytest

GRANTED = Path(pytest.__file__).is_relative_to(sys.prefix)
OWN = pytest.mark.skipif(
    not GRANTED, reason="the packages of this interpreter are borrowed from another one"
)
