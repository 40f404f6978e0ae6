"""Tests of arena/report/, as files and in a browser."""
