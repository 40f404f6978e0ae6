"""`python -m arena.config > docs/tournament.schema.json`: what an editor may be told of a tournament.toml."""

import json

from arena.config import schema

print(json.dumps(schema(), indent=2))
