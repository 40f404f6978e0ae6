"""What several tests need: workspaces, bots, stored events, processes. No test is in here."""
