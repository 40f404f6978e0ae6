"""One tournament: its settings, its bots, its schedule, and the worker processes that play it.

This package owns all processes and files of a run; it knows no rules, no clock and no confinement.

Where to change what (paths begin below arena/):

- a key of tournament.toml: `event/config/__init__.py` `Tournament`, which must pass it on in its
  methods `event` or `conditions`; its tables: `event/config/keys.py`, and
  `event/tables/__init__.py` for [limits]; then docs/tournament.md and the schema
- who serves bots from outside of their matches, such as a language model: `event/service.py`
- which match is next, and the order in which matches begin: the plan: the files of
  `event/schedules/`; which one is next: `event/director.py` `next_work`
- what happens when a worker is killed: `event/workers.py` `collect`, then `event/director.py`
  `match_failed`
- who hears of each match as it is stored, and of what fails: `event/audience.py` `Audience`; the
  terminal: `cli/watching.py`; the observers of extensions: `event/audience.py` `Audiences`; a
  message for each match is such an observer, with an example in docs/extensions.md; the webhook at
  the end of a run: `event/notify.py`, its words: `cli/run/ending.py` `notify`
- when an event ends by `stop_when`: `event/stopping.py`; when it looks: `event/plan.py` `walk`;
  the words: `results/leaderboard/stop_words.py`; when its time is over: `event/end_time.py`
  `EndTime`; the other reasons why a run ends early: `event/director.py` `RunPhase`
- a schedule: one file in `event/schedules/` with the parts of `Schedule`, or a plug-in
  (`plugins.py`); docs/formats.md; its tests: `tests/event/test_formats.py`; its workspace in
  tests/kept: `tests/keep.py`
- who meets whom in a Swiss, and how a rematch is avoided: `event/schedules/_dutch.py` `paired`,
  then docs/formats.md
- how `arena status` sees a run, and `arena stop` ends it: `event/control.py`; which run it is:
  the token in `results/archive/database.py`
- which archives can be merged: `event/merging.py` `joined_event`
- what `arena doctor` checks and measures: `event/doctor/checks.py` `checks`, and the checks that
  `cli/doctor.py` adds; its measurements, and how it judges them: `event/doctor/measuring.py`
- which files are programs, how they are built without a bot.toml, why others are no programs: the
  tables of `event/discovery/programs.py`
"""
