"""`arena serve`: a site for a class or a club, made from a workspace and its archives.

It owns addresses and pages, who may send what (guard.py, people.py), and who may see which event
(`Accounts.may_see`). The server plays no match and computes no table itself. Other processes do both, so that no reader
delays a referee or another reader.
"""

# The processes
# -------------
# Only the first one is always there; it starts the others when there is work for them.
#
#     server             answers every request (server.py, app.py), watches live matches (live.py), and carries the
#     │                  messages of remote seats (remote.py)
#     ├─ workers         four: compute tables, matches, pictures of links, and what is for one person (worker.py,
#     │                  jobs.py)
#     ├─ human match     one for each match that a person plays (human_matches.py, human_process.py)
#     ├─ check           checks the uploads, as `arena submit` does (check_process.py, uploads.py)
#     ├─ run             one round of the event; another one plays the event of the remote bots
#     ├─ charts          draws the charts after a round (charts_process.py)
#     └─ request         plays the matches that an author asked for, as `arena duel` does (request_process.py)
#     arena join         on an author's machine: runs a remote bot (join.py)
#
# The four (check, run, charts, request) are started by desk.py, by the commands in processes.py; timetable.py says when
# a round is due. They go on if the server is killed. Workers and human matches end with it.
