"""Language models that bots ask, what that costs, and what of their play is memory.

Page: docs/extras/models.md.

`service.py` is what an event knows of its model. `asking.py` runs the process that alone asks and
pays: `broker.py`, with `providers.py` for the ways to ask and `tape.py` for what was answered
before. `estimates.py` says what the matches to come will cost. `seats.py` puts around the seats of
a match what `calls.py` and `disguise.py` have: the door to the model, and other words for a board.
`frames.py`, with `memory.py`, has the tables; `page.py` and `terminal.py` show them.

Where to change what (paths begin below arena/):

- how a provider is asked: `extras/models/providers.py`; what its answer says, in which shapes, and
  which of its figures count: `extras/models/chat.py`; what follows where it gives no answer:
  `extras/models/faults.py`; when and how often it is asked: `extras/models/gate.py` and
  `extras/models/broker.py`; what a seat may ask: `extras/models/calls.py` `TokenAccount`
- the words of a board in disguise, and what of the protocol they change:
  `extras/models/disguise.py`; which words a game has: its `manual`, read by `games/manual.py`; the
  table: `extras/models/memory.py`
"""

from arena.extensions import AddedFrame, AddedSection, AddedTable, Extension

EXTENSION = Extension(
    tables={
        "model": AddedTable(
            path="arena.extras.models.table:ModelTable",
            line="A language model that bots may ask: the same as [models.default].",
        ),
        "models": AddedTable(
            path="arena.extras.models.table:ModelsTable",
            line="Language models by name: [models.NAME] has the keys of [model].",
        ),
    },
    starters=("arena.extras.models:python_model",),
    wrappers=("arena.extras.models.seats:ModelWrapper",),
    services={"models": "arena.extras.models.service:SERVICE"},
    frames={
        "models": AddedFrame(
            path="arena.extras.models.frames:models",
            columns="arena.extras.models.frames:MODELS",
            file_if="arena.extras.models.frames:has_model",
            leaderboard=("model", "cost_a_match"),
        ),
        "disguise": AddedFrame(
            path="arena.extras.models.frames:disguise",
            columns="arena.extras.models.frames:DISGUISE",
            file_if="arena.extras.models.frames:is_disguised",
        ),
    },
    sections={
        "models": AddedSection(
            page="arena.extras.models.page:models",
            terminal="arena.extras.models.terminal:models",
        ),
        "disguise": AddedSection(
            page="arena.extras.models.page:disguise",
            terminal="arena.extras.models.terminal:disguise",
        ),
    },
)
