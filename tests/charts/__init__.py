"""Tests of arena/charts/."""
