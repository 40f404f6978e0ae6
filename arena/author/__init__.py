"""For people who write bots: starter kits, a check-up, and the store of submitted versions."""
