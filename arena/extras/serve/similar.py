"""Programs of different authors that share long passages, ranked, with the passages: for a human who looks at both.

Two programs are compared as sequences of tokens, in which a name is like any other name and
comments do not count, so that renaming changes nothing. What everybody was given, or many have, is
removed. It accuses nobody: short programs of honest authors are alike, and people may work together
where they are told to.
"""

# What plays is compared, and what played: every version, since a later one does not undo what an
# earlier one won with. Work is bounded, because a stranger chooses the number and the size of the
# files. But no bound is silent: whatever was not compared, or only in part, is an `Omission`, which
# the organiser reads beside the pairs. Comments do not use the bounds up: lines that are empty or
# only a comment are dropped before anything is counted.
#
# The method is that of MOSS and of its successors: all sequences of TOKENS tokens (shingles) of
# each program, and for each pair the part of the smaller program's shingles that the other has,
# too. Programs of a class are small, so all shingles are stored, and no fingerprints are selected.
# JPlag compares by the longest passages instead, and knows more of each language: `export` writes
# what it reads.

import contextlib
import io
import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
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
from arena.author.submissions.bot_store import BotStore, Version
from arena.errors import ArenaError, counted
from arena.event import discovery
from arena.event.discovery.files import files_of
from arena.limited import LimitedError, limited
from arena.sandbox.watchdog import size

TOKENS = 12
"""Of a shingle: about two lines of a program."""
COMMON = 8
"""A passage that more authors have is no evidence: it is how such a bot is written, or was in a lecture."""
LEAST = 0.2
"""The part of the smaller program that two must share to be named."""
FEWEST = 20
"""Shingles that a program must have of its own, and that two must share: less is chance."""
VERSIONS = 50
"""The versions of a bot that are compared: first those that play, then those that played, then the newest."""
MOST_READ = 5_000_000
"""The bytes of a file that are read."""
LARGEST_FILE = 1_000_000
"""The characters of a file that are compared, without lines that are empty or only a comment."""
MOST_TOKENS = 50_000
"""Of a file: 200 kB of a program have no more."""
MOST_SHINGLES = 1_000_000
"""Of all versions of a bot together."""
MEMORY_BYTES, CPU_SECONDS, WALL_SECONDS = 500_000_000, 2, 30.0
"""What the lexer may take for a file. At some texts its time grows with the square: a page of blank lines in C."""
LINE = 300  # characters of a line that are shown
LONGEST_LINE = 100_000  # characters that are read at a time, if no line ends before
LINES, AROUND = (
    3000,
    20,
)  # lines of a file that are shown; of a longer one, those around shared passages
NAMED = 3  # files that are named in one omission
TOO_MANY = "not compared, since the bot has so many versions, or so large ones"
OUR_OWN = {"bot.toml", "README.md", "AGENTS.md"}
"""Files of a bot that are no part of its program."""
COMMENTS = {".py": "#"} | dict.fromkeys(
    (".js", ".mjs", ".cjs", ".java", ".c", ".cc", ".cpp", ".cxx", ".rs", ".go"), "//"
)
"""How a line begins that is only a comment. In shells, Perl and Ruby such a line may end a text that began above."""
ENDS_MORE = ('"', "'", "`", "*/", "\\")
"""What may end more than a comment: a line with one of these is never dropped, or it could hide what follows."""
LINE_END = re.compile("\r\n|[\r\n\u2028\u2029]")
"""What ends a comment in some language."""
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
    path: Path
    shingles: frozenset[Shingle]
    """Without those that everybody was given."""


@dataclass(frozen=True, kw_only=True)
class Omission:
    """What was not compared, or only in part."""

    bot: str
    versions: tuple[int, ...]
    words: str
    """What it is, and why; it may quote names of files."""

    @property
    def programs(self) -> str:
        """The versions, in words."""
        first, *others = self.versions
        if not others:
            return f"{self.bot}@{first}"
        return f"{self.bot}@{first} and {counted(len(others), 'more version')}"


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
        both = self.first.shingles & self.second.shingles
        return _marked(self.first, both), _marked(self.second, both)


@dataclass(frozen=True, kw_only=True)
class SimilarityReport:
    """All that was found, and what nobody looked at."""

    pairs: tuple[Similarity, ...]
    omissions: tuple[Omission, ...]


def similarities(store: BotStore, played: Collection[str] = ()) -> list[Similarity]:
    """Return the pairs of authors whose programs share most, as `compare` does."""
    return list(compare(store, played).pairs)


def compare(store: BotStore, played: Collection[str] = ()) -> SimilarityReport:
    """Return the pairs of authors whose programs share most, of each pair the closest two; the most alike first.

    `played` has the digests of versions that have played, as far as anybody knows.
    """
    omissions: dict[tuple[str, str], list[int]] = defaultdict(list)
    programs: dict[str, list[ComparedProgram]] = defaultdict(list)
    for program in _programs(store, played, omissions):
        programs[program.author].append(program)
    everything: dict[str, frozenset[Shingle]] = {}
    holders: Counter[Shingle] = Counter()
    for author, own in programs.items():
        everything[author] = frozenset[Shingle]().union(*(program.shingles for program in own))
        holders.update(everything[author])
    evidence = {shingle for shingle, count in holders.items() if 1 < count <= COMMON}
    shareable = {author: shingles & evidence for author, shingles in everything.items()}
    found = []
    for one, other in combinations(programs, 2):
        common = shareable[one] & shareable[other]
        if len(common) >= FEWEST:
            closest = _closest(programs[one], programs[other], common)
            if closest is not None:
                found.append(closest)
    found.sort(key=lambda each: (-each.share, -each.shared, each.first.name, each.second.name))
    omitted = (
        Omission(bot=bot, versions=tuple(sorted(versions)), words=_shown(words))
        for (bot, words), versions in sorted(omissions.items())
    )
    return SimilarityReport(pairs=tuple(found), omissions=tuple(omitted))


def _closest(
    own: Iterable[ComparedProgram], others: Iterable[ComparedProgram], common: frozenset[Shingle]
) -> Similarity | None:
    """Return the two programs of two authors that share most, if that is enough to name them."""
    closest: Similarity | None = None
    others_common = [(other, other.shingles & common) for other in others]
    for first in own:
        first_common = first.shingles & common
        for second, second_common in others_common:
            shared = len(first_common & second_common)
            share = shared / min(len(first.shingles), len(second.shingles))
            is_enough = shared >= FEWEST and share >= LEAST
            if is_enough and (closest is None or (share, shared) > (closest.share, closest.shared)):
                closest = Similarity(first=first, second=second, shared=shared, share=share)
    return closest


def export(store: BotStore, played: Collection[str] = ()) -> bytes:
    """Return a zip for JPlag: what plays, versions that played before, and the code that everybody was given."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
        left_out = []
        for name in store.names():
            versions = _in_order(store, name, played)
            for number, version in enumerate(versions[:VERSIONS]):
                if number == 0:
                    folder = f"submissions/{name}"
                elif version.digest in played:
                    folder = f"earlier/{name}@{version.number}"
                else:
                    continue
                for inner, path in _sources(version.path):
                    text, is_whole = _first_part(path)
                    packed.writestr(f"{folder}/{inner}", text)
                    if not is_whole:
                        left_out.append(f"{folder}/{inner}: all but its first {size(MOST_READ)}")
            if len(versions) > VERSIONS:
                left_out.append(f"{name}: all but {VERSIONS} versions")
        for number, given in enumerate(_given(store)):
            for inner, path in _sources(given):
                packed.writestr(f"base-code/{number}/{inner}", _first_part(path)[0])
        readme = ["java -jar jplag.jar -l python3 -bc base-code -old earlier submissions"]
        if left_out:
            readme += ["", "Not here are:", *left_out]
        packed.writestr("README.txt", "".join(f"{_shown(line)}\n" for line in readme))
    return content.getvalue()


def _in_order(store: BotStore, name: str, played: Collection[str]) -> list[Version]:
    """Return the versions of a bot: those that play, then those that played, then others; of each the newest first."""
    playing = set()
    for path in store.playing(name):
        with contextlib.suppress(ArenaError):  # `arena bots` reports it
            playing.add(discovery.from_path(path, name).digest)
    versions = store.versions(name)
    return sorted(
        versions,
        key=lambda each: (each.digest not in playing, each.digest not in played, -each.number),
    )


def _programs(
    store: BotStore, played: Collection[str], omissions: dict[tuple[str, str], list[int]]
) -> Iterator[ComparedProgram]:
    """Yield the versions of all submitted bots, without the shingles that everybody was given.

    What is not compared goes to `omissions`: the numbers of versions, by bot and words.
    """
    given = _shipped_shingles() | _shingles_of(_by_hand(store))
    for name in store.names():
        versions = _in_order(store, name, played)
        notes = [each.note for each in store.versions(name) if each.note.person or each.note.mark]
        author = (notes[-1].person or notes[-1].mark) if notes else name
        left, done = MOST_SHINGLES, 0
        first_versions = versions[:VERSIONS]
        contents = _read([version.path for version in first_versions])
        for version, (shingles, remarks) in zip(first_versions, contents, strict=True):
            own = frozenset(shingles - given)
            if len(own) < FEWEST:
                remarks.append("it has too little of its own to be compared")
            else:
                yield ComparedProgram(
                    author=author, name=f"{name}@{version.number}", path=version.path, shingles=own
                )
            for words in remarks:
                omissions[name, words].append(version.number)
            left -= len(own)
            done += 1
            if left <= 0:
                break
        for version in versions[done:]:
            omissions[name, TOO_MANY].append(version.number)


def _read(paths: Sequence[Path]) -> Iterator[tuple[set[Shingle], list[str]]]:
    """Yield all shingles of each of these programs, and in words what of it is not compared."""
    sources = [_sources(path) for path in paths]
    with contextlib.closing(_lexed([file for own in sources for _, file in own])) as lexed:
        for path, own in zip(paths, sources, strict=True):
            shingles, remarks = set[Shingle](), list[str]()
            others = [
                name
                for name, _ in _files(path)
                if not discovery.is_source(name) and name not in OUR_OWN
            ]
            if others:
                more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
                remarks.append(
                    f"{', '.join(others[:NAMED])}{more}: not compared, no program by the ending"
                )
            for name, _ in own:
                tokens, remark = next(lexed)
                shingles.update(_shingles(tokens))
                if remark:
                    remarks.append(f"{name}: {remark}")
            yield shingles, remarks


def _given(store: BotStore) -> list[Path]:
    """Return what every author was given: the starter kits, arena's own bots, and bots that nobody submitted."""
    return [*_shipped(), *_by_hand(store)]


def _by_hand(store: BotStore) -> list[Path]:
    return [
        path for name in store.names() if not store.versions(name) for path in store.playing(name)
    ]


def _shipped() -> list[Path]:
    shipped = rulefile.shipped().parent / "bots"
    return [*(kit.folder for kit in starters()), *sorted(shipped.glob("[!_.]*"))]


@cache
def _shipped_shingles() -> frozenset[Shingle]:
    """Return the shingles of what comes with arena, which takes longer to read than the bots of a class."""
    return _shingles_of(_shipped())


def _shingles_of(programs: Iterable[Path]) -> frozenset[Shingle]:
    files = [file for program in programs for _, file in _sources(program)]
    return frozenset(shingle for tokens, _ in _lexed(files) for shingle in _shingles(tokens))


def _files(path: Path) -> list[tuple[str, Path]]:
    """Return every file of a bot with its path in it."""
    return [(path.name, path)] if path.is_file() else list(files_of(path))


def _sources(path: Path) -> list[tuple[str, Path]]:
    """Return every source file of a bot with its path in it."""
    return [(name, file) for name, file in _files(path) if discovery.is_source(name)]


def _first_part(path: Path) -> tuple[str, bool]:
    """Return the text of a file as far as it is read, and whether that is all of it."""
    with path.open("rb") as file:
        content = file.read(MOST_READ + 1)
    return content[:MOST_READ].decode("utf-8", "replace"), len(content) <= MOST_READ


def _program_text(path: Path) -> tuple[str, list[int], str]:
    """Return what of a file is compared, the number of each of its lines, and in words what of it is left out.

    Lines are dropped that are empty or only a comment.
    """
    text, is_whole = _first_part(path)
    remark = "" if is_whole else f"compared only in its first {size(MOST_READ)}"
    comment, letters = COMMENTS.get(path.suffix), 0
    kept: list[str] = []
    numbers: list[int] = []
    for number, line in enumerate(LINE_END.split(text), 1):
        words = line.strip()
        is_comment = (
            comment is not None
            and words.startswith(comment)
            and not any(end in words for end in ENDS_MORE)
        )
        if not words or is_comment:
            continue
        letters += len(line) + 1
        if letters > LARGEST_FILE:
            remark = f"compared only in its first {size(LARGEST_FILE)} without comments"
            break
        kept.append(line)
        numbers.append(number)
    return "\n".join(kept), numbers, remark


def _shingles(tokens: Sequence[tuple[str, int]]) -> Iterator[Shingle]:
    """Yield the hash of each sequence of TOKENS tokens, in order."""
    words = [word for word, _ in tokens]
    for start in range(len(words) - TOKENS + 1):
        yield hash(tuple(words[start : start + TOKENS]))


def _lexed(files: Sequence[Path]) -> Generator[tuple[list[tuple[str, int]], str]]:
    """Yield the tokens of each file, read in another process, and in words what of it is left out.

    Of a file that takes too much there, the tokens are words alone.
    """
    done = 0
    while done < len(files):
        left = files[done:]
        try:
            for tokens, remark in limited(
                lambda: (_first_tokens(file, _lexer(file.suffix)) for file in left),  # noqa: B023 (it is over before the next)
                memory=MEMORY_BYTES,
                cpu=CPU_SECONDS,
                wall=WALL_SECONDS,
            ):
                done += 1
                yield tokens, remark
        except LimitedError:
            tokens, _ = _first_tokens(files[done], None)
            yield tokens, "not read in time, and compared word by word, with its comments"
            done += 1


def _first_tokens(path: Path, lexer: Lexer | None) -> tuple[list[tuple[str, int]], str]:
    """Return the first tokens of a file with their lines in it, and in words what of it is left out."""
    text, numbers, remark = _program_text(path)
    tokens = [
        (word, numbers[min(line, len(numbers)) - 1])
        for word, line in islice(_tokens(text, lexer), MOST_TOKENS + 1)
    ]
    if len(tokens) > MOST_TOKENS:
        remark = f"compared only in its first {MOST_TOKENS} words"
    return tokens[:MOST_TOKENS], remark


def _tokens(text: str, lexer: Lexer | None) -> Iterator[tuple[str, int]]:
    """Yield the tokens of a program with their lines: names, numbers and texts each alike, nothing of comments."""
    line = 1
    found = (
        lexer.get_tokens(text)
        if lexer is not None
        else ((Token, word) for word in re.findall(r"\s+|\S+", text))
    )
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


def _marked(program: ComparedProgram, shingles: Collection[Shingle]) -> list[Line]:
    """Return the lines of a program, with those marked that are in a shared passage; of a long file those nearby."""
    lines: list[Line] = []
    sources = _sources(program.path)
    for (name, path), (tokens, _) in zip(
        sources, _lexed([file for _, file in sources]), strict=True
    ):
        shared = _shared_lines(tokens, shingles)
        texts = LINE_END.split(_first_part(path)[0].rstrip("\n"))
        last = 0
        for number in _shown_lines(len(texts), shared):
            if number > last + 1:
                lines.append(
                    Line(
                        file=name,
                        text=f"({number - last - 1} lines that are not shared)",
                        shared=False,
                    )
                )
            lines.append(Line(file=name, text=_shown(texts[number - 1]), shared=number in shared))
            last = number
    return lines


def _shared_lines(tokens: Sequence[tuple[str, int]], shingles: Collection[Shingle]) -> set[int]:
    """Return the numbers of the lines of a file that are in a passage with one of these shingles."""
    shared: set[int] = set()
    for start, shingle in enumerate(_shingles(tokens)):
        if shingle in shingles:
            first, last = tokens[start][1], tokens[start + TOKENS - 1][1]
            shared.update(range(first, last + 1))
    return shared


def _shown_lines(count: int, shared: Iterable[int]) -> Iterable[int]:
    """Return the numbers of the lines of a file that are shown: all, or of a long file those around shared passages."""
    if count <= LINES:
        return range(1, count + 1)
    nearby: set[int] = set()
    for line in shared:
        nearby.update(range(max(1, line - AROUND), min(count, line + AROUND) + 1))
    return sorted(nearby)


def _shown(line: str) -> str:
    """Return a line of a program, which may be hostile, as text that does nothing when it is shown."""
    return "".join(char if char.isprintable() else " " for char in line.expandtabs(4)[:LINE])
