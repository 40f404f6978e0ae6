"""Tests of arena/replay/: records that are replayed, verified and written as texts."""
