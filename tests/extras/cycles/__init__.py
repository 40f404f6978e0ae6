"""Tests of the chart of cycles."""
