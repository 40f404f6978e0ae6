"""For people who write bots: starter kits, a check-up, and the store of submitted versions.

Where to change what (paths begin below arena/):

- what the files of a learning platform are called: a row of `author/submissions/downloads.py`
  `PLATFORMS`; the columns of its roster: `author/submissions/people.py` `COLUMNS`; which files
  are one bot: `author/submissions/requests.py`
- what `arena check` finds, and what it tells an author: `author/checkup/__init__.py` `checkup`;
  which lines it sends, and which of them no match has: `author/checkup/variations.py`; the words:
  `author/checkup/conversation.py`; the advice: `author/checkup/advice.py`, on a crash a row of
  `author/checkup/crashes.py` `ROWS`; its cases: `tests/author/advice_cases.py`
- the words with which `arena submit` refuses something: `author/submissions/__init__.py`; a file or
  a folder that is no program, such as a text: `event/discovery/programs.py` `NO_PROGRAMS`,
  `why_not`, `why_none`
- a starter kit: one folder in `author/starters/`; how the pages of all end:
  `author/starters/README_END.md`
- a hostile path, link or size in a zip or tar that was handed in:
  `author/submissions/unpacking.py` `_extract`; in a folder that was handed in:
  `author/submissions/copy_untrusted.py`
"""
