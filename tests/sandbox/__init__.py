"""Tests of arena/sandbox/: confinement, limits, cores, and other systems than Linux."""
