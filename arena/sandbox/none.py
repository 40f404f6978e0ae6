"""The level `none`: nothing is confined. A bot is a process of its own, and ends with its match; that is all."""

from arena.sandbox.plan import Plan


def confine(plan: Plan, argv: list[str]) -> list[str]:  # noqa: ARG001 (each level has the same shape)
    """In the child: nothing; returns what to run."""
    return argv
