"""Language models that bots ask: what they asked, what that cost, and what of their play is memory.

Page: docs/extras/models.md.
"""

from arena.extensions import AddedFrame, AddedSection, Extension

EXTENSION = Extension(
    frames={
        "models": AddedFrame(
            path="arena.extras.models.frames:models",
            columns="arena.extras.models.frames:MODELS",
            file_if="arena.extras.models.frames:has_model",
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
