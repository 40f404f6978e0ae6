"""Extras: what few events use, a folder for each.

The core imports none of them, and plays without any of them. An extra has all of its thing inside:
its commands, charts, frames and words. It says in `EXTENSION` what it adds. `arena/extensions.py`
finds it, and knows the hooks.
"""
