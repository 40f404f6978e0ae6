"""Tests of `arena tune`."""
