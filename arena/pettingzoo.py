"""Any board as an environment of PettingZoo, to train bots.

`env` is turn by turn, `parallel_env` all at once.

It needs the package `pettingzoo`, which `pip install 'botarena[pettingzoo]'` installs. An agent is
a role. It observes a dict: `observation`, the features of the facts that the role sees
(arena.encoding), and `action_mask`, a 1 for each legal action. An action is the number of a move in
`encoding.moves[role]`. The reward comes with the end of a match: -1 for the score 0, 0 for 50, 1
for 100.
"""

# Why this is core, and no folder of arena/extras/
# ------------------------------------------------
# Programs of others import `arena.pettingzoo`. With the environments in a folder of extras this
# file would have to import them from there, which nothing outside may do, and would be broken
# without that folder. It adds no command, chart or table, so no hook would ever load it, and the
# core never imports it. arena.encoding is core for another reason: bots import it in their sandbox,
# as they do arena.kit (the starter kit python_policy).

from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from arena import load_game
from arena.encoding import Encoding
from arena.errors import ArenaError
from arena.game import CHANCE, Game, Move, Role
from arena.replay.drawing import render_state

try:
    from gymnasium import logger, spaces
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import OrderEnforcingWrapper
except ImportError as error:
    raise ImportError(
        "arena.pettingzoo needs a package: pip install 'botarena[pettingzoo]'"
    ) from error

RENDER_MODES = ["ansi", "human"]
Observation: TypeAlias = dict[str, npt.NDArray[Any]]
Infos: TypeAlias = dict[Role, dict[str, Any]]
"""What PettingZoo wants of each agent beside its observation: here nothing."""


def env(
    board: str,
    workspace: str | Path = ".",
    *,
    encoding: Encoding | None = None,
    render_mode: str | None = "ansi",
) -> AECEnv:
    """Return a board as an environment in which agents act in turn.

    Of roles that move at once the next one does not see what the first chose.

    `board` is a name such as `pacman/classic`, found as `arena.load_game` does. `encoding` is one
    that was saved; by default it is made here, which takes up to two seconds. `render_mode` is
    `ansi` (`render()` returns the state as text), `human` (every state is printed) or None.
    ArenaError when there is no such board, or no such mode.
    """
    episode = _Episode(board, workspace, encoding, render_mode)
    return OrderEnforcingWrapper(TurnEnv(episode))


def parallel_env(
    board: str,
    workspace: str | Path = ".",
    *,
    encoding: Encoding | None = None,
    render_mode: str | None = "ansi",
) -> ParallelEnv:
    """Return a board as an environment in which all agents act at once.

    Each role has one action more than in `env`, the last: to wait. It is the only legal one when
    the role is not to move. The arguments are those of `env`.
    """
    episode = _Episode(board, workspace, encoding, render_mode)
    return SimultaneousEnv(episode)


class _Episode:
    """The state of a match, whose roles are agents; chance is drawn here."""

    def __init__(
        self,
        board: str,
        workspace: str | Path,
        encoding: Encoding | None,
        render_mode: str | None,
    ) -> None:
        if render_mode not in {*RENDER_MODES, None}:
            modes = ", ".join(RENDER_MODES)
            raise ArenaError(f"render_mode {render_mode!r}: expected {modes} or None")
        self.board = board
        self.render_mode = render_mode
        self.game: Game[Any] = load_game(board, workspace)
        self.encoding = encoding or Encoding.of(self.game)
        self.dice = Random()
        for role in self.game.roles:
            if not self.encoding.moves.get(role):
                raise ArenaError(
                    f"{board}: the encoding knows no move of {role}: make it of this board and "
                    "with more states, Encoding.of(game, states=...)"
                )
        self.state: Any = None
        self.movers: tuple[Role, ...] = ()

    def spaces(
        self, more_actions: int
    ) -> tuple[dict[Role, spaces.Dict], dict[Role, spaces.Discrete]]:
        """Return the spaces of observations and actions of each role."""
        features = len(self.encoding.names)
        observations = {}
        actions = {}
        for role, moves in self.encoding.moves.items():
            count = len(moves) + more_actions
            observation = spaces.Box(0.0, 1.0, (features,), np.float32)
            action_mask = spaces.Box(0, 1, (count,), np.int8)
            parts: dict[str, spaces.Space[Any]] = {
                "observation": observation,
                "action_mask": action_mask,
            }
            observations[role] = spaces.Dict(parts)
            actions[role] = spaces.Discrete(count)
        return observations, actions

    def start(self, seed: int | None, options: dict[str, Any] | None) -> None:
        """Begin a match: `seed` fixes all chance; `options["state"]` replaces the first state."""
        if seed is not None:
            self.dice = Random(seed)
        state = (options or {}).get("state")
        if state is None:
            state = self.game.start()
        self.state = state
        self._play_chance()
        if not self.movers:
            raise ValueError(
                "the match is over in this state, so nobody can act: begin in an earlier one"
            )
        self.show()

    def actions(self, role: Role) -> dict[int, Move]:
        """Return the legal moves of a role by their actions; none when it is not to move."""
        if role in self.movers:
            moves = self.game.legal_moves(self.state, role)
        else:
            moves = ()
        return self.encoding.actions(moves, role)

    def observation(
        self,
        role: Role,
        legal: Iterable[int],
        count: int,
    ) -> Observation:
        """Return what a role sees, with a mask of that number of actions."""
        mask = np.zeros(count, np.int8)
        mask[list(legal)] = 1
        facts = self.game.view(self.state, role)
        features = self.encoding.observe(facts, role)
        return {
            "observation": np.array(features, np.float32),
            "action_mask": mask,
        }

    def play(self, actions: Mapping[Role, int]) -> None:
        """Play one turn, then those of chance; ValueError for an action that is not legal."""
        moves = {}
        for role, action in actions.items():
            moves[role] = self.move(role, action)
        moves |= self._drawn()
        self.state = self.game.play(self.state, moves)
        self._play_chance()
        self.show()

    def move(self, role: Role, action: int | None) -> Move:
        """Return the move of an action; ValueError if it is not legal."""
        legal = self.actions(role)
        move = None
        if action is not None:
            move = legal.get(int(action))
        if move is None:
            raise ValueError(
                f"{role}: action {action} is not legal here: choose one that action_mask allows"
            )
        return move

    def rewards(self) -> dict[Role, float]:
        """Return the reward of each role: 0.0 while the match goes on."""
        outcome = self.game.outcome(self.state)
        if not outcome:
            return dict.fromkeys(self.game.roles, 0.0)

        rewards = {}
        for role in self.game.roles:
            ahead = outcome.scores[role] - 50
            rewards[role] = ahead / 50
        return rewards

    def drawing(self) -> str:
        """Return the state as text; ValueError before the first match."""
        if self.state is None:
            raise ValueError("there is no state yet: call reset() first")
        facts = self.game.view(self.state, None)
        return render_state(self.game, facts)

    def render(self) -> str | None:
        """Return the state as text, or print it, as the mode says.

        Without a mode only warn, as Gymnasium does.
        """
        if self.render_mode is None:
            logger.warn(
                "render() does nothing without a render_mode: make the environment with "
                "render_mode='ansi'"
            )
            return None
        if self.render_mode == "ansi":
            return self.drawing()
        print(self.drawing())
        return None

    def show(self) -> None:
        """Print the state if a human looks on."""
        if self.render_mode == "human":
            self.render()

    def _play_chance(self) -> None:
        """Play the turns of chance alone; then those who are to move are `movers`."""
        while self.game.to_move(self.state) == (CHANCE,):
            moves = self._drawn()
            self.state = self.game.play(self.state, moves)

        movers = self.game.to_move(self.state)
        self.movers = tuple(role for role in movers if role != CHANCE)

    def _drawn(self) -> dict[Role, Move]:
        """Return the move of chance, drawn by lot; none if it has none in this turn."""
        if CHANCE not in self.game.to_move(self.state):
            return {}
        legal = self.game.legal_moves(self.state, CHANCE)
        move = self.dice.choice(legal)
        return {CHANCE: move}


class _RoleEnv:
    """What both environments of a match have."""

    metadata: dict[str, Any]

    def __init__(self, match: _Episode, *, more_actions: int) -> None:
        super().__init__()
        self.match = match
        self.encoding = match.encoding
        self.render_mode = match.render_mode
        self.metadata = {"name": match.board, "render_modes": RENDER_MODES}
        self.possible_agents = list(match.game.roles)
        self.agents: list[Role] = []
        self.observation_spaces, self.action_spaces = match.spaces(more_actions)

    def observation_space(self, agent: Role) -> spaces.Dict:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: Role) -> spaces.Discrete:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def render(self) -> str | None:
        """Return the state as text, or print it, as `render_mode` says."""
        return self.match.render()


class TurnEnv(_RoleEnv, AECEnv):  # type: ignore[misc]  # PettingZoo ships no types
    """The environment that `env` returns, without its wrapper."""

    def __init__(self, match: _Episode) -> None:
        super().__init__(match, more_actions=0)
        self.metadata["is_parallelizable"] = False
        self._chosen: dict[Role, int] = {}
        """The actions of the roles that move at once, until all have chosen."""

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        """Begin a match.

        `seed` fixes all chance from now on, `options["state"]` is a state to begin at.
        """
        self.match.start(seed, options)
        self._chosen = {}
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: Infos = {role: {} for role in self.agents}
        self.agent_selection = self.match.movers[0]

    def observe(self, agent: Role) -> Observation:
        """Return what an agent sees; its mask is 0 everywhere unless it is the one to act."""
        legal: Iterable[int] = ()
        if agent == self.agent_selection:
            legal = self.match.actions(agent)
        count = int(self.action_spaces[agent].n)
        return self.match.observation(agent, legal, count)

    def step(self, action: int | None) -> None:
        """Take the action of the agent to act; None when the match is over."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent}: an action is needed, because the match goes on")
        # An action that is not legal is refused now: others that move at once choose before it is
        # played.
        self.match.move(agent, action)
        self._cumulative_rewards[agent] = 0.0
        self._chosen[agent] = int(action)

        waiting = [role for role in self.match.movers if role not in self._chosen]
        if not waiting:
            self.match.play(self._chosen)
            self._chosen = {}
            waiting = list(self.match.movers)

        self.rewards = self.match.rewards()
        if waiting:
            self.agent_selection = waiting[0]
        else:
            self.agent_selection = self.agents[0]
            self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()


class SimultaneousEnv(_RoleEnv, ParallelEnv):  # type: ignore[misc]  # PettingZoo ships no types
    """The environment that `parallel_env` returns."""

    def __init__(self, match: _Episode) -> None:
        super().__init__(match, more_actions=1)

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[dict[Role, Observation], Infos]:
        """Begin a match.

        `seed` fixes all chance from now on, `options["state"]` is a state to begin at.
        """
        self.match.start(seed, options)
        self.agents = list(self.possible_agents)
        infos: Infos = {role: {} for role in self.agents}
        return self._observations(), infos

    def step(
        self, actions: dict[Role, int]
    ) -> tuple[
        dict[Role, Observation],
        dict[Role, float],
        dict[Role, bool],
        dict[Role, bool],
        Infos,
    ]:
        """Play one turn: the actions of the roles to move; every other role must wait."""
        if not self.agents:
            return {}, {}, {}, {}, {}
        for role in self.agents:
            if role not in actions:
                raise ValueError(f"{role}: an action is needed, because the match goes on")
        for role in self.agents:
            wait = len(self.encoding.moves[role])
            if role not in self.match.movers and actions[role] != wait:
                raise ValueError(
                    f"{role}: action {actions[role]} is not legal here: choose one that "
                    "action_mask allows"
                )

        actions_of_movers = {role: actions[role] for role in self.match.movers}
        self.match.play(actions_of_movers)
        agents = self.agents
        over = not self.match.movers
        observations = self._observations()
        if over:
            self.agents = []

        return (
            observations,
            self.match.rewards(),
            dict.fromkeys(agents, over),
            dict.fromkeys(agents, False),
            {role: {} for role in agents},
        )

    def _observations(self) -> dict[Role, Observation]:
        """Return what each agent sees; one that is not to move may only wait."""
        observations = {}
        for role in self.agents:
            wait = len(self.encoding.moves[role])
            legal: Iterable[int] = (wait,)
            if role in self.match.movers:
                legal = self.match.actions(role)
            observations[role] = self.match.observation(role, legal, wait + 1)
        return observations
