"""Tests of the chart of nemeses."""
