"""The level `none`: a bot is a process of its own that ends with its match. Nothing else is done."""

from arena.sandbox.level import LaunchSpec, Level


class Unconfined(Level):
    """The level `none`."""

    name = "none"
    leaves_open = "bots can do whatever you can do, without any limit"
    restricts = False

    def confine(self, spec: LaunchSpec, argv: list[str]) -> list[str]:  # noqa: ARG002 (all levels have this method)
        """Do nothing; return the command."""
        return argv
