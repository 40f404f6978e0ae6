"""The bridge of `openspiel`: a file with a bot of OpenSpiel, which has `step(state)`.

The file has one of: `make_bot(game, player_id)`, which returns a bot; a `bot`; a function `step`.
"""

from typing import Any

import arena_bridge

from arena.kit import Turn


class SpielBot:
    """The bot of a file, and the match that it plays."""

    def __init__(self, settings: arena_bridge.BridgeSettings) -> None:
        self._settings = settings
        for key in settings.options:
            raise arena_bridge.Failed(
                f"options: the bridge openspiel has none, and knows no {key!r}; leave it out"
            )
        self._module = arena_bridge.module_of(settings)
        self._bot: Any = None
        self._known = 0
        """How many actions of the match the bot has seen."""

    def prepare(self, turn: Turn) -> None:
        """Make the bot for this match, or tell it that a match begins."""
        if turn.game.partition("/")[0] != "openspiel":
            raise arena_bridge.Failed(
                f"the bridge openspiel plays the games of OpenSpiel, and {turn.game} is none"
            )
        if turn.rules.hidden:
            raise arena_bridge.Failed(
                f"{turn.game} hides a part of its state, which a bot with `step(state)` would see: "
                "let the bot speak the protocol"
            )
        state = turn.rules.start().spiel
        make = getattr(self._module, "make_bot", None)
        if make is not None:
            player = turn.rules.roles.index(turn.role)
            self._bot = make(state.get_game(), player)
        elif hasattr(self._module, "bot"):
            self._bot = self._module.bot
        else:
            self._bot = self._module
        if not hasattr(self._bot, "step"):
            raise arena_bridge.Failed(
                f"{self._settings.file}: has no `make_bot(game, player_id)`, no `bot` and no "
                "`step(state)`"
            )
        self._known = 0
        if hasattr(self._bot, "restart"):
            self._bot.restart()

    def choose(self, turn: Turn) -> str:
        """Tell the bot what the others played, ask it, and return its move."""
        state = turn.state
        if state is None:
            raise arena_bridge.Failed(
                f"{turn.game}: the state after turn {turn.number} is not known"
            )
        self._inform(turn, state)
        action = self._bot.step(state.spiel.clone())
        if isinstance(action, tuple):  # of a bot that returns its policy, too
            action = action[-1]
        table = turn.rules._table(state, turn.role)
        for move, number in table.items():
            if number == action:
                return str(move)
        return str(arena_bridge.refused(self._settings, action))

    def _inform(self, turn: Turn, state: Any) -> None:
        """Call `inform_action` for each action of another player since the bot was last asked."""
        inform = getattr(self._bot, "inform_action", None)
        player = turn.rules.roles.index(turn.role)
        before = turn.rules.start().spiel
        history = state.spiel.full_history()
        for index, item in enumerate(history):
            is_new = index >= self._known
            is_others = item.player not in (player, -1)
            if inform is not None and is_others and is_new:
                inform(before.clone(), item.player, item.action)
            if before.is_simultaneous_node():
                return  # whose actions are applied together; such bots are told nothing
            before.apply_action(item.action)
        self._known = len(history)


if __name__ == "__main__":
    out = arena_bridge.own_output()
    player = SpielBot(arena_bridge.settings())
    arena_bridge.play(player.choose, player.prepare, out)
