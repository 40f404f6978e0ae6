"""Tests of the repository itself: pages, names, dependencies and the tests' own rules."""
