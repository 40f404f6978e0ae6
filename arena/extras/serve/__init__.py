"""`arena serve`: a site for a class or a club, made from a workspace. Page: docs/extras/serve.md.

It owns addresses and pages, who may send what (guard.py, people.py), and who may see which event
(`Accounts.may_see`). The server plays no match and computes no table itself. Other processes do
both, so that no reader delays a referee or another reader.

Where to change what (paths begin below arena/):

- a page of the site: its function, and its row in `ROUTES` of a module of pages: for all readers
  `extras/serve/readers.py`, for a signed-in author `extras/serve/author.py`, for the organiser
  `extras/serve/organiser.py`; its template: a file in `extras/serve/html/`; what it has from an
  archive: a job in `extras/serve/jobs.py`; a new module of pages: `extras/serve/app.py` `make_app`
- what the organiser may do, on the page and by `arena serve ACTION`: `extras/serve/actions.py`
  `ACTIONS`; the page: `extras/serve/organiser.py`
- what an author may see or ask for: `extras/serve/author.py`; whose a version is, which bots play:
  `extras/serve/entrants.py` `Entrants`
- what an upload may be, when it is confirmed: `extras/serve/uploads.py` `receive`; who decides it,
  by the path of `arena submit`: `decide_all` there
- what counts as an author's on disk, which versions make room: `extras/serve/disk.py` `Disk`
- which lines of the log strangers can cause, and how often: `extras/serve/log.py`
- which match the page *Live* and `/wall` show, and how fast: `extras/serve/live.py` `LiveView`;
  what of it: `extras/serve/jobs.py` `under_way`, `finished`; how open pages hear of a match, also
  who plays it: `extras/serve/streams.py`; what a lane writes, and when: `event/broadcast.py`
- which process the server starts, and what happens when one is killed: all of them: the comment in
  `extras/serve/__init__.py`; what starts them: `extras/serve/processes.py` `SiteProcess`,
  `extras/serve/scheduler.py` `Scheduler`; when a round begins: `extras/serve/timetable.py`
- how a message names the files of a bot that somebody has sent: `errors.py` `FileError`,
  `FilesError`: `seen_from`
- who may read why a match of a request, or of a person, was not played: the type of the mistake:
  `errors.py` `BotError`, `PublicError`; what each reader is shown: `extras/serve/statements.py`
- who may see an event, or a hidden one: `extras/serve/accounts.py` `may_see`; who asks:
  `extras/serve/people.py`
- a remote seat: its clock, and what happens when the connection is lost:
  `extras/serve/remote_seat.py` `RemoteSeat`; between match and bot: `extras/serve/remote.py` `Hub`;
  the author's side: `extras/serve/join.py`; the table [remote]: `extras/serve/table.py`
- a match that a person plays in the browser: its pages, when it ends, what its process tells:
  `extras/serve/play.py`; `extras/serve/human_matches.py`; `extras/serve/human_process.py`. What a
  person may see: `replay/player_view.py`; clicks and keys: `extras/serve/html/play.js`
- which programs count as similar, and what is no evidence: `extras/serve/similar.py`
- what is stored of accounts, and how: `extras/serve/accounts.py`
"""

# The processes
# -------------
# Only the first is always there; it starts the others when there is work for them.
#
#     server           answers every request (server.py, app.py), watches live matches (live.py),
#     │                and carries the messages of remote seats (remote.py)
#     ├─ workers       four: they compute tables, matches, pictures of links, and pages for single
#     │                people (worker.py, jobs.py)
#     ├─ human match   one for each match that a person plays (human_matches.py, human_process.py)
#     ├─ check         checks the uploads, as `arena submit` does (check_process.py, uploads.py)
#     ├─ run           a round of the event; another run plays the event of the remote bots
#     ├─ charts        draws the charts after a round (charts_process.py)
#     └─ request       plays the matches that an author asked for, as `arena duel` does
#                      (request_process.py)
#     arena join       on an author's machine: runs a remote bot (join.py)
#
# scheduler.py starts check, run, charts and request, by the commands in processes.py; timetable.py
# says when a round is due. These processes go on if the server is killed. Workers and human matches
# end with it.

from arena.extensions import AddedCommand, AddedTable, Extension

EXTENSION = Extension(
    commands=(
        AddedCommand(
            name="serve",
            line="Serve results as web pages, also while they are played.",
            path="arena.extras.serve.command:serve",
        ),
        AddedCommand(
            name="join",
            line="Let a bot on this machine play at a site on another.",
            path="arena.extras.serve.join_command:join",
        ),
    ),
    tables={
        "remote": AddedTable(
            path="arena.extras.serve.table:RemoteTable",
            line="Bots that stay on their authors' machines.",
        ),
    },
    seats=("arena.extras.serve.remote_seat:remote_seats",),
)
