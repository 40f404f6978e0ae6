"""Tests of `arena duel --bisect`."""
