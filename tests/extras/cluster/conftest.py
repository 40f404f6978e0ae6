"""The cluster that the tests of this folder share."""

import contextlib
from collections.abc import Iterator

import pytest

from tests.extras.cluster.machines import Machines


@pytest.fixture(scope="session")
def scheduler(tmp_path_factory) -> Iterator[object]:
    """Yield a scheduler of dask that can start workers (machines.py)."""
    with contextlib.closing(Machines(tmp_path_factory.mktemp("machines"))) as started:
        yield started


@pytest.fixture
def shared(scheduler) -> Iterator[object]:
    """Yield the scheduler of all tests of a process; at the end of the test no worker is left."""
    yield scheduler
    scheduler.end_workers()
