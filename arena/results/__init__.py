"""Stored results and everything that is made of them: the archive, standings, ratings, leaderboards and tables.

Nothing here plays a match, and only `archive` knows SQL.
"""
