"""Makes a user namespace, in which it is root."""

from attack import attack, new_user_namespace


@attack
def _():
    new_user_namespace()
