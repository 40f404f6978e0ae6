"""Tests of arena/cli/: output, exit codes, signals and terminals."""
