"""The games: finds, loads and checks rules files. Nothing here knows a bot's process or a match."""
