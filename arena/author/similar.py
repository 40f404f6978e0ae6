"""Programs of different authors that share long passages, ranked, with the passages: for a human who looks at both.

Two programs are compared as sequences of tokens, in which a name is like any other name and comments do not count, so
that renaming changes nothing. What everybody was given, or many have, is removed. It accuses nobody: short programs of
honest authors are alike, and people may work together where they are told to.
"""

# The method is that of MOSS and of its successors: all sequences of TOKENS tokens (shingles) of each program, and for
# each pair the part of the smaller program's shingles that the other has, too. Programs of a class are small, so all
# shingles are stored, and no fingerprints are selected. JPlag compares by the longest passages instead, and knows more
# of each language: `export` writes what it reads.

import io
import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, islice
from pathlib import Path

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_for_filename
from pygments.token import Comment, Literal, Name, Token
from pygments.util import ClassNotFound

from arena import rulefile
from arena.author.starters import starters
from arena.author.submissions.bot_store import BotStore
from arena.event import discovery
from arena.event.discovery.files import files_of
from arena.limited import LimitedError, limited

TOKENS = 12
"""Of a shingle: about two lines of a program."""
COMMON = 8
"""A passage that more authors have is no evidence: it is how such a bot is written, or was in a lecture."""
LEAST = 0.2
"""The part of the smaller program that two must share to be named."""
FEWEST = 20
"""Shingles that a program must have of its own, and that two must share: less is chance."""
VERSIONS = 5
"""The newest versions of a bot, which are compared."""
LARGEST_FILE, LARGEST_BOT = 200_000, 1_000_000
MOST_TOKENS = 50_000
"""Of a file: 200 kB of a program have no more."""
MEMORY_BYTES, CPU_SECONDS, WALL_SECONDS = 500_000_000, 1, 30.0
"""What the lexer may take for a file. At some texts its time grows with the square: a page of blank lines in C."""
LINE = 300  # characters of a line that are shown
WORD = re.compile(r"\w+|[^\w\s]")
Shingle = int
"""The hash of a shingle."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of a program."""

    file: str
    text: str
    shared: bool


@dataclass(frozen=True, kw_only=True)
class ComparedProgram:
    """A version of a bot, as it is compared."""

    author: str
    """The id of its author, or else the name of the bot."""
    name: str
    """Such as `ada@2`."""
    texts: tuple[tuple[str, str], ...]
    """The path and the text of each source file."""
    places: dict[Shingle, tuple[tuple[int, int, int], ...]]
    """Where each shingle is: the number of the file, the first and the last line."""


@dataclass(frozen=True, kw_only=True)
class Similarity:
    """Two programs of different authors that share passages."""

    first: ComparedProgram
    second: ComparedProgram
    shared: int
    """Shingles that both have, and few others."""
    share: float
    """The part of the smaller program, from 0 to 1."""

    def evidence(self) -> tuple[list[Line], list[Line]]:
        """Return the lines of both programs, with those marked that are in a shared passage."""
        both = self.first.places.keys() & self.second.places.keys()
        return _marked(self.first, both), _marked(self.second, both)


def similarities(store: BotStore) -> list[Similarity]:
    """Return the pairs of authors whose programs share most, of each pair the closest two; the most alike first."""
    programs = list(_programs(store))
    authors: dict[Shingle, set[str]] = defaultdict(set)
    holders: dict[Shingle, list[int]] = defaultdict(list)
    for number, program in enumerate(programs):
        for shingle in program.places:
            authors[shingle].add(program.author)
            holders[shingle].append(number)
    shared: Counter[tuple[int, int]] = Counter()
    for shingle, numbers in holders.items():
        if 1 < len(authors[shingle]) <= COMMON:
            shared.update(combinations(numbers, 2))
    closest: dict[tuple[str, str], Similarity] = {}
    for (one, other), count in shared.items():
        first, second = programs[one], programs[other]
        share = count / min(len(first.places), len(second.places))
        if first.author == second.author or count < FEWEST or share < LEAST:
            continue
        pair = (min(first.author, second.author), max(first.author, second.author))
        if pair not in closest or (share, count) > (closest[pair].share, closest[pair].shared):
            closest[pair] = Similarity(first=first, second=second, shared=count, share=share)
    return sorted(closest.values(), key=lambda each: (-each.share, -each.shared, each.first.name, each.second.name))


def export(store: BotStore) -> bytes:
    """Return a zip for JPlag: the newest version of each bot, and the code that everybody was given."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("README.txt", "java -jar jplag.jar -l python3 -bc base-code submissions\n")
        for name in store.names():
            for version in store.versions(name)[-1:]:
                for path, text in _texts(version.path):
                    packed.writestr(f"submissions/{name}/{path}", text)
        for number, given in enumerate(_given(store)):
            for inner, text in _texts(given):
                packed.writestr(f"base-code/{number}/{inner}", text)
    return content.getvalue()


def _programs(store: BotStore) -> Iterator[ComparedProgram]:
    """Yield the versions of all submitted bots, without the shingles that everybody was given."""
    given = _places(text for path in _given(store) for text in _texts(path)).keys()
    for name in store.names():
        for version in store.versions(name)[-VERSIONS:]:
            texts = tuple(_texts(version.path))
            places = {shingle: where for shingle, where in _places(texts).items() if shingle not in given}
            if len(places) >= FEWEST:
                author = version.note.person or version.note.mark or name
                yield ComparedProgram(author=author, name=f"{name}@{version.number}", texts=texts, places=places)


def _given(store: BotStore) -> list[Path]:
    """Return what every author was given: the starter kits, arena's own bots, and bots that nobody submitted."""
    by_hand = [path for name in store.names() if not store.versions(name) for path in store.playing(name)]
    shipped = rulefile.shipped().parent / "bots"
    return [*(kit.folder for kit in starters()), *sorted(shipped.glob("[!_.]*")), *by_hand]


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each source file of a bot, as far as they are of a size that a human reads."""
    left = LARGEST_BOT
    for inner, file in [(path.name, path)] if path.is_file() else files_of(path):
        size = file.stat().st_size
        if discovery.is_source(inner) and size <= min(left, LARGEST_FILE):
            left -= size
            yield inner, file.read_text("utf-8", "replace")


def _places(texts: Iterable[tuple[str, str]]) -> dict[Shingle, tuple[tuple[int, int, int], ...]]:
    """Return where each shingle of these files is."""
    places: dict[Shingle, list[tuple[int, int, int]]] = defaultdict(list)
    for number, tokens in enumerate(_lexed([*texts])):
        words = [word for word, _ in tokens]
        for start in range(len(tokens) - TOKENS + 1):
            shingle = hash(tuple(words[start : start + TOKENS]))
            places[shingle].append((number, tokens[start][1], tokens[start + TOKENS - 1][1]))
    return {shingle: tuple(where) for shingle, where in places.items()}


def _lexed(texts: Sequence[tuple[str, str]]) -> Iterator[list[tuple[str, int]]]:
    """Yield the tokens of each file, read in another process; of a file that takes too much there, words alone."""
    done = 0
    while done < len(texts):
        left = [(text, _lexer(Path(file).suffix)) for file, text in texts[done:]]
        try:
            for tokens in limited(
                lambda: (_first_tokens(*each) for each in left),  # noqa: B023 (it is over before the next)
                memory=MEMORY_BYTES,
                cpu=CPU_SECONDS,
                wall=WALL_SECONDS,
            ):
                done += 1
                yield tokens
        except LimitedError:
            yield _first_tokens(texts[done][1], None)
            done += 1


def _first_tokens(text: str, lexer: Lexer | None) -> list[tuple[str, int]]:
    return list(islice(_tokens(text, lexer), MOST_TOKENS))


def _tokens(text: str, lexer: Lexer | None) -> Iterator[tuple[str, int]]:
    """Yield the tokens of a program with their lines: names, numbers and texts each alike, nothing of comments."""
    line = 1
    found = lexer.get_tokens(text) if lexer is not None else ((Token, word) for word in re.findall(r"\s+|\S+", text))
    for kind, value in found:
        if kind in Name and kind not in Name.Builtin:
            yield "name", line
        elif kind in Literal.Number or (kind in Literal.String and kind not in Literal.String.Doc):
            if value.strip("\"' "):
                yield "literal", line
        elif kind not in Comment and kind not in Literal:
            yield from ((word, line) for word in WORD.findall(value))
        line += value.count("\n")


@cache
def _lexer(suffix: str) -> Lexer | None:
    try:
        return get_lexer_for_filename(f"bot{suffix}", stripnl=False)
    except ClassNotFound:
        return None


def _marked(program: ComparedProgram, shingles: Iterable[Shingle]) -> list[Line]:
    shared: dict[int, set[int]] = defaultdict(set)
    for shingle in shingles:
        for file, first, last in program.places[shingle]:
            shared[file].update(range(first, last + 1))
    return [
        Line(file=file, text=_shown(text), shared=number in shared[index])
        for index, (file, content) in enumerate(program.texts)
        for number, text in enumerate(content.splitlines(), 1)
    ]


def _shown(line: str) -> str:
    """Return a line of a program, which may be hostile, as text that does nothing when it is shown."""
    return "".join(char if char.isprintable() else " " for char in line.expandtabs(4)[:LINE])
