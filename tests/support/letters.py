"""Letters of the texts that hypothesis draws."""

from hypothesis import strategies as st

ANY = st.characters(exclude_categories=["Cs"])
"""All that UTF-8 can write, as in `st.text()`, which tries each of them first: a second of CPU in
each process of a fresh clone."""
