"""The tests: a folder for each room of arena/, and tests of the modules directly in arena/."""
