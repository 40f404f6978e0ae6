"""The bridge of `pettingzoo`: a file with a policy that was trained with `arena.pettingzoo`.

The file has one of these: `policy(observation, action_mask)`, which returns an action; an object
`policy` or `model` with `predict(observation, ...)`, as in Stable Baselines3 and its like.
"""

# What a policy sees is what `arena.pettingzoo.env` showed it: the features of arena.encoding, and a
# mask of the legal actions. The encoding of a board is the same each time, so the bridge makes it
# again, unless the bot's folder has the file `encoding.json` (`env.encoding.to_json()`): to make it
# takes up to two seconds of the start time.

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import arena_bridge

from arena.encoding import Encoding
from arena.kit import Turn

KEYS = ("deterministic", "waits")
ENCODING = "encoding.json"


class TrainedPolicy:
    """The policy of a file, and the match that it plays."""

    def __init__(self, settings: arena_bridge.BridgeSettings) -> None:
        self._settings = settings
        for key in settings.options:
            if key not in KEYS:
                raise arena_bridge.Failed(
                    f"options: the bridge pettingzoo knows no {key!r}; it has {', '.join(KEYS)}"
                )
        module = arena_bridge.module_of(settings)
        self._predicts = False
        """True for an object with `predict`, False for a function."""
        self._policy = self._policy_of(module)
        self._encoding: Encoding | None = None
        self._board = ""

    def prepare(self, turn: Turn) -> None:
        """Make the encoding of the board, or read it."""
        board = turn.parameters or turn.game
        if board == self._board:
            return
        path = Path(self._settings.file).absolute().with_name(ENCODING)
        if path.is_file():
            self._encoding = Encoding.from_json(path.read_text("utf-8"))
        else:
            self._encoding = Encoding.of(turn.rules)
        if set(self._encoding.moves) != set(turn.roles):
            raise arena_bridge.Failed(f"{ENCODING}: is of another board than {turn.game}")
        self._board = board

    def choose(self, turn: Turn) -> str:
        """Ask the policy, and return the move of its action."""
        import numpy as np

        encoding = self._encoding
        if encoding is None:
            raise arena_bridge.Failed("there was no `ready?`")
        observation = encoding.observe(turn.facts, turn.role)
        features = np.array(observation, np.float32)
        number_of_actions = len(encoding.moves[turn.role])
        if self._settings.options.get("waits"):
            number_of_actions += 1
        moves = encoding.actions(turn.legal, turn.role)
        mask = np.zeros(number_of_actions, np.int8)
        mask[list(moves)] = 1

        action = self._asked(features, mask)
        try:
            move = moves.get(int(action))
        except (TypeError, ValueError):
            move = None
        return move or str(arena_bridge.refused(self._settings, action))

    def _asked(self, features: Any, mask: Any) -> Any:
        """Return the action of the policy."""
        if not self._predicts:
            return self._policy(features, mask)
        arguments: dict[str, Any] = {}
        if _takes(self._policy, "action_masks"):
            arguments["action_masks"] = mask.astype(bool)
        elif _takes(self._policy, "action_mask"):
            arguments["action_mask"] = mask
        if _takes(self._policy, "deterministic"):
            arguments["deterministic"] = self._settings.options.get("deterministic", True)
        answer = self._policy(features, **arguments)
        if isinstance(answer, tuple):  # beside the state of a memory
            return answer[0]
        return answer

    def _policy_of(self, module: Any) -> Callable[..., Any]:
        """Return the function of a module that is asked for actions."""
        for name in ("policy", "model"):
            policy = getattr(module, name, None)
            predict = getattr(policy, "predict", None)
            if callable(predict):
                self._predicts = True
                chosen: Callable[..., Any] = predict
                return chosen
            if callable(policy):
                function: Callable[..., Any] = policy
                return function
        raise arena_bridge.Failed(
            f"{self._settings.file}: has no `policy(observation, action_mask)`, and no `policy` or "
            "`model` with `predict`"
        )


def _takes(function: Callable[..., Any], name: str) -> bool:
    """Return whether a function has an argument of this name."""
    try:
        return name in inspect.signature(function).parameters
    except (TypeError, ValueError):  # of a function in C
        return False


if __name__ == "__main__":
    out = arena_bridge.own_output()
    player = TrainedPolicy(arena_bridge.settings())
    arena_bridge.play(player.choose, player.prepare, out)
