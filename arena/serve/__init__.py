"""`arena serve`: pages for a class or a club, from the workspace and its archives, by one process beside them.

It owns addresses, pages and who may send what. It plays no match and computes no table itself: events are played by
`arena run`, and tables are made in a process of their own, so that no reader delays a referee or another reader.
"""
