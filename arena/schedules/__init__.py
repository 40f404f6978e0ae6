"""Who meets whom: one file per schedule, each with one function `due(event, played)`."""
