"""Print the schema of a tournament.toml for editors.

`python -m arena.event.config > docs/tournament.schema.json` writes it.
"""

import json

from arena.event.config import schema

print(json.dumps(schema(), indent=2))
