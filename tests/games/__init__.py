"""Tests of arena/games/, and of the games in rules/ with the bots in bots/."""
