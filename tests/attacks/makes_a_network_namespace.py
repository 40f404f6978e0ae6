"""Makes a user namespace and a network of its own."""

from attack import attack, new_user_namespace


@attack
def _():
    new_user_namespace(0x40000000)
