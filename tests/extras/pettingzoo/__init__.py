"""Tests of environments of PettingZoo."""
