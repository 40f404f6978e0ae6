"""One match: the referee, its seats (seat.py), and the code that waits for bots (polling.py).

Nothing here knows of other matches, of the archive or of the command line.

Where to change what (paths begin below arena/):

- when a bot is stopped (frozen) and goes on: `match/polling.py` `ask_all` and
  `match/live_bots.py` `LiveBots` decide; `match/bot/__init__.py` `freeze`, `_accept`,
  `short_answer`; how it is done: `sandbox/freezer.py`
- who may sit in a seat: a new kind of seat, or something around its lines: its law:
  `match/seat.py`; the kinds: `match/seating.py` `KINDS`; for example `match/human.py`
- how a request to a language model is carried, and what a bot gets that has none:
  `match/model_line.py`
- another kind of time control, such as an increment: a field of `clock.py` `TimeControl` (marked
  ADDED_LATER), and `after` there, which `match/referee.py` `_judge` calls only where there is a
  bank; its key: `event/config/keys.py` `Time`; what bots are told: `protocol.py`
- when an answer is too late, and how much time is charged: `clock.py` (`excused`, `fair`,
  `charged`, `deadline`, `too_late`, `forgives_short_answers`; the bank: `after`); who reads the
  clocks: `match/bot/stopwatch.py` (`spent`, `short`); when an answer was written:
  `sandbox/timed_pipe.py`; how long a bot waited for a core: `sandbox/meter.py`, of several
  processes `sandbox/family.py`. A short answer is in time because nobody is charged more than the
  longer of wall time and CPU time
- how long a bot may take until it is `ready`: `clock.py` `TimeControl`, `event/config/keys.py`
  `Time`; used in `match/referee.py` `asks`
- which line of a bot is its answer, and what happens to a second line: `match/bot/output.py`,
  `match/bot/early_lines.py`, then docs/protocol.md
- to mute a bot, or to show less of what it prints: what is recorded: `match/bot/output.py`, and in
  the words of verdicts `match/bot/postmortem.py` `_instead`, `_stderr_line`; who shows
  remarks: `report/recorded.py` `moves`, `cli/match_text.py` `print_scene`, `cli/rerun.py` `_lines`,
  `cli/live/layout.py` `_asides`, `results/leaderboard/metrics.py`,
  `results/leaderboard/frames.py` `turns`, `results/export.py`, `replay/notation.py`; stderr:
  `report/recorded.py` `last_lines`, `report/bots.py`, `cli/match_text.py`, `replay/notation.py`;
  what the report for one author leaves out: `report/author.py`
- a line of the protocol: `protocol.py`, then docs/protocol.md
- the words for a time loss (`timeout`), a crash, or a build that failed: `match/bot/postmortem.py`
  `time_loss`, `crash`, `failed_build`; the names of endings: `values.py` `Ending`; the tests that
  repeat them: `tests/support/sins.py`; docs/endings.md; which line of stderr they quote:
  `match/bot/complaint.py`; why the system cannot run a program, by its file:
  `match/bot/program_file.py`; advice on them: `author/checkup/advice.py`
- anything else that can change how a match goes: `values.py` `Conditions`; `identity.py`
  `ADDED_LATER` says what it does to the ids of matches
"""
