"""Tests of arena/event/: plans, schedules, runs and their interruptions."""
