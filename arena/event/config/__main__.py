"""`python -m arena.event.config > docs/tournament.schema.json`: print the schema of a tournament.toml for editors."""

import json

from arena.event.config import schema

print(json.dumps(schema(), indent=2))
