"""The notary: the commitment of an event, and how it is checked. Page: docs/extras/notary.md.

Where to change what (paths begin below arena/):

- what a commitment holds, and what contradicts one: `extras/notary/commitment.py`;
  `arena commit`: `extras/notary/command.py`
- what `arena verify --public` checks beside the records: `extras/notary/public.py`
"""

from arena.extensions import AddedCommand, AddedOptions, Extension

EXTENSION = Extension(
    commands=(
        AddedCommand(
            name="commit",
            line="Publish digests of an event before it, for `verify --public`.",
            path="arena.extras.notary.command:commit",
        ),
    ),
    options=(AddedOptions(command="verify", path="arena.extras.notary.public:verify"),),
)
