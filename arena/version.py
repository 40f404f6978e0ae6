"""The version of arena."""

__version__ = "0.2.0"
