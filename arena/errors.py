"""The user's mistake. Everything else that is raised is a bug of ours and keeps its traceback."""


class ArenaError(Exception):
    """A mistake of the user: one line that names the file or the key and says what to do next."""
