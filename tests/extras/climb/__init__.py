"""Tests of `arena climb`; each file in agents/ is an agent for it."""
