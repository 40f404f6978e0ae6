"""Programs of different authors that share long passages, ranked, for a human who looks at both.

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
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, islice
from pathlib import Path
from typing import Any

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
"""The tokens of a shingle, which is about two lines of a program."""
COMMON = 8
"""A passage that more authors have is no evidence: such bots have it, or it was in a lecture."""
LEAST = 0.2
"""The part of the smaller program that two must share to be named."""
FEWEST = 20
"""The shingles that a program must have of its own, and that two must share: fewer are chance."""
VERSIONS = 50
"""The versions of a bot that are compared, in the order of `_in_order`."""
MOST_READ = 5_000_000
"""The bytes of a file that are read."""
LARGEST_FILE = 1_000_000
"""The characters of a file that are compared, without lines that are empty or only a comment."""
MOST_TOKENS = 50_000
"""The most tokens of a file: 200 kB of a program have no more."""
MOST_SHINGLES = 1_000_000
"""The most shingles of all versions of a bot together."""
# The limits of the lexer for a file. For some texts its time grows with the square of their size,
# such as a page of blank lines in C.
MEMORY_BYTES = 500_000_000
CPU_SECONDS = 2
WALL_SECONDS = 30.0
LINE = 300
"""The characters of a line that are shown."""
LINES = 3000
"""The lines of a file that are shown."""
AROUND = 20
"""The lines that are shown around a shared passage of a longer file."""
NAMED = 3
"""The files that an omission names."""
TOO_MANY = "not compared, since the bot has so many versions, or so large ones"
OUR_OWN = {"bot.toml", "README.md", "AGENTS.md"}
"""Files of a bot that are no part of its program."""
COMMENTS = {".py": "#"} | dict.fromkeys(
    (".js", ".mjs", ".cjs", ".java", ".c", ".cc", ".cpp", ".cxx", ".rs", ".go"), "//"
)
"""The beginning of a line that is only a comment, by the ending of the file.

Shells, Perl and Ruby are left out: there such a line may end a text that began above.
"""
ENDS_MORE = ('"', "'", "`", "*/", "\\")
"""Texts that may end more than a comment: a line with such a text could hide the lines after it."""
LINE_END = re.compile("\r\n|[\r\n\u2028\u2029]")
"""The ends of a comment in some language."""
WORD = re.compile(r"\w+|[^\w\s]")
Shingle = int
"""The hash of a shingle."""
TokenOnLine = tuple[str, int]
"""A token of a program, and the number of its line."""


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
    """The id of its author; the name of the bot if it has no author."""
    name: str
    """The bot and its version, such as `ada@2`."""
    path: Path
    shingles: frozenset[Shingle]
    """Its shingles, without those of programs that everybody was given."""


@dataclass(frozen=True, kw_only=True)
class Omission:
    """Versions that were not compared, or only in part."""

    bot: str
    versions: tuple[int, ...]
    words: str
    """The part that was not compared, and the reason; it may quote names of files."""

    @property
    def programs(self) -> str:
        """The versions, in words."""
        first, *later_versions = self.versions
        if not later_versions:
            return f"{self.bot}@{first}"
        return f"{self.bot}@{first} and {counted(len(later_versions), 'more version')}"


@dataclass(frozen=True, kw_only=True)
class Similarity:
    """Two programs of different authors that share passages."""

    first: ComparedProgram
    second: ComparedProgram
    shared: int
    """The number of shingles that both programs have, and few other authors."""
    share: float
    """The shared part of the smaller program, from 0 to 1."""

    def evidence(self) -> tuple[list[Line], list[Line]]:
        """Return the lines of both programs, with those marked that are in a shared passage."""
        both = self.first.shingles & self.second.shingles
        return _marked(self.first, both), _marked(self.second, both)


@dataclass(frozen=True, kw_only=True)
class SimilarityReport:
    """The similar programs, and the programs that were not compared."""

    pairs: tuple[Similarity, ...]
    omissions: tuple[Omission, ...]


def similarities(store: BotStore, played: Collection[str] = ()) -> list[Similarity]:
    """Return the pairs of authors whose programs share most, as `compare` does."""
    return list(compare(store, played).pairs)


def compare(store: BotStore, played: Collection[str] = ()) -> SimilarityReport:
    """Return the closest two programs of each pair of authors who share enough, most alike first.

    `played` has the digests of versions that are known to have played.
    """
    omissions: dict[tuple[str, str], list[int]] = defaultdict(list)
    programs: dict[str, list[ComparedProgram]] = defaultdict(list)
    for program in _programs(store, played, omissions):
        programs[program.author].append(program)
    evidence = _evidence(programs)
    pairs: list[Similarity] = []
    for author, other_author in combinations(programs, 2):
        common = evidence[author] & evidence[other_author]
        if len(common) < FEWEST:
            continue
        closest = _closest(programs[author], programs[other_author], common)
        if closest is not None:
            pairs.append(closest)
    pairs.sort(key=_most_alike_first)

    omitted: list[Omission] = []
    for (bot, reason), versions in sorted(omissions.items()):
        omission = Omission(
            bot=bot,
            versions=tuple(sorted(versions)),
            words=_harmless(reason),
        )
        omitted.append(omission)
    return SimilarityReport(pairs=tuple(pairs), omissions=tuple(omitted))


def _most_alike_first(pair: Similarity) -> tuple[float, int, str, str]:
    """Return the key by which pairs are sorted."""
    first = pair.first.name
    second = pair.second.name
    return -pair.share, -pair.shared, first, second


def _evidence(
    programs: Mapping[str, Iterable[ComparedProgram]],
) -> dict[str, frozenset[Shingle]]:
    """Return the shingles of each author that few others have, and at least one."""
    everything: dict[str, frozenset[Shingle]] = {}
    authors_by_shingle: Counter[Shingle] = Counter()
    for author, programs_of_author in programs.items():
        shingles: set[Shingle] = set()
        for program in programs_of_author:
            shingles |= program.shingles
        everything[author] = frozenset(shingles)
        authors_by_shingle.update(shingles)
    evidence: set[Shingle] = set()
    for shingle, authors in authors_by_shingle.items():
        if 1 < authors <= COMMON:
            evidence.add(shingle)
    return {author: shingles & evidence for author, shingles in everything.items()}


def _closest(
    programs: Iterable[ComparedProgram],
    other_programs: Iterable[ComparedProgram],
    common: frozenset[Shingle],
) -> Similarity | None:
    """Return the two programs of two authors that share most, if that is enough to name them."""
    others_common: list[tuple[ComparedProgram, frozenset[Shingle]]] = []
    for other_program in other_programs:
        others_common.append((other_program, other_program.shingles & common))

    closest: Similarity | None = None
    for first in programs:
        first_common = first.shingles & common
        for second, second_common in others_common:
            shared = len(first_common & second_common)
            share = shared / min(len(first.shingles), len(second.shingles))
            if shared < FEWEST or share < LEAST:
                continue
            if closest is None or (share, shared) > (closest.share, closest.shared):
                closest = Similarity(
                    first=first,
                    second=second,
                    shared=shared,
                    share=share,
                )
    return closest


def export(store: BotStore, played: Collection[str] = ()) -> bytes:
    """Return a zip for JPlag: versions that play or have played, and code for everybody."""
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
        for number, shared_file in enumerate(_given(store)):
            for inner, path in _sources(shared_file):
                text, _ = _first_part(path)
                packed.writestr(f"base-code/{number}/{inner}", text)
        readme = ["java -jar jplag.jar -l python3 -bc base-code -old earlier submissions"]
        if left_out:
            readme += ["", "Not here are:"]
            readme += left_out
        readme_text = ""
        for line in readme:
            readme_text += f"{_harmless(line)}\n"
        packed.writestr("README.txt", readme_text)
    return content.getvalue()


def _in_order(
    store: BotStore,
    name: str,
    played: Collection[str],
) -> list[Version]:
    """Return the versions of a bot: those that play, those that have played, and the others.

    Each of the three parts begins with its newest version.
    """
    playing = set()
    for path in store.playing(name):
        with contextlib.suppress(ArenaError):  # `arena bots` reports it
            bot = discovery.from_path(path, name)
            playing.add(bot.digest)

    def place(version: Version) -> tuple[bool, bool, int]:
        is_idle = version.digest not in playing
        is_unplayed = version.digest not in played
        return is_idle, is_unplayed, -version.number

    return sorted(store.versions(name), key=place)


def _programs(
    store: BotStore,
    played: Collection[str],
    omissions: dict[tuple[str, str], list[int]],
) -> Iterator[ComparedProgram]:
    """Yield the versions of all submitted bots, without the shingles that everybody was given.

    Versions that are not compared go to `omissions`: their numbers, by bot and words.
    """
    shipped = _shipped_shingles() | _shingles_of(_by_hand(store))
    for name in store.names():
        versions = _in_order(store, name, played)
        author = _author_of(store, name)
        shingles_left = MOST_SHINGLES
        done = 0
        first_versions = versions[:VERSIONS]
        paths = [version.path for version in first_versions]
        contents = _read(paths)
        for version, (shingles, remarks) in zip(first_versions, contents, strict=True):
            own_shingles = frozenset(shingles - shipped)
            if len(own_shingles) < FEWEST:
                remarks.append("it has too little of its own to be compared")
            else:
                yield ComparedProgram(
                    author=author,
                    name=f"{name}@{version.number}",
                    path=version.path,
                    shingles=own_shingles,
                )
            for remark in remarks:
                omissions[name, remark].append(version.number)
            shingles_left -= len(own_shingles)
            done += 1
            if shingles_left <= 0:
                break
        for version in versions[done:]:
            omissions[name, TOO_MANY].append(version.number)


def _author_of(store: BotStore, name: str) -> str:
    """Return the id of the author who submitted a bot last; its name if nobody is known."""
    author = name
    for version in store.versions(name):
        author = version.note.person or version.note.mark or author
    return author


def _read(paths: Sequence[Path]) -> Iterator[tuple[set[Shingle], list[str]]]:
    """Yield all shingles of each of these programs, and remarks on parts that are not compared."""
    sources_of_all = [_sources(path) for path in paths]
    files: list[Path] = []
    for sources in sources_of_all:
        files += [file for _, file in sources]
    with contextlib.closing(_lexed(files)) as lexed:
        for path, sources in zip(paths, sources_of_all, strict=True):
            shingles: set[Shingle] = set()
            remarks = _remarks_on_others(path)
            for name, _ in sources:
                tokens, remark = next(lexed)
                shingles.update(_shingles(tokens))
                if remark:
                    remarks.append(f"{name}: {remark}")
            yield shingles, remarks


def _remarks_on_others(path: Path) -> list[str]:
    """Return a remark on the files of a bot that are no programs; [] if it has none."""
    other_names: list[str] = []
    for name, _ in _files(path):
        if not discovery.is_source(name) and name not in OUR_OWN:
            other_names.append(name)
    if not other_names:
        return []
    names = ", ".join(other_names[:NAMED])
    if len(other_names) > NAMED:
        names += f" and {len(other_names) - NAMED} more"
    return [f"{names}: not compared, no program by the ending"]


def _given(store: BotStore) -> list[Path]:
    """Return the programs that every author was given."""
    return _shipped() + _by_hand(store)


def _by_hand(store: BotStore) -> list[Path]:
    """Return the bots that nobody submitted."""
    paths: list[Path] = []
    for name in store.names():
        if not store.versions(name):
            paths += store.playing(name)
    return paths


def _shipped() -> list[Path]:
    """Return the starter kits and arena's own bots."""
    bots = rulefile.shipped().parent / "bots"
    kits = [kit.folder for kit in starters()]
    return kits + sorted(bots.glob("[!_.]*"))


@cache
def _shipped_shingles() -> frozenset[Shingle]:
    """Return the shingles of programs in arena, which are more than the bots of a class."""
    return _shingles_of(_shipped())


def _shingles_of(programs: Iterable[Path]) -> frozenset[Shingle]:
    """Return all shingles of these programs."""
    files: list[Path] = []
    for program in programs:
        files += [file for _, file in _sources(program)]
    shingles: set[Shingle] = set()
    for tokens, _ in _lexed(files):
        shingles.update(_shingles(tokens))
    return frozenset(shingles)


def _files(path: Path) -> list[tuple[str, Path]]:
    """Return every file of a bot with its path in it."""
    if path.is_file():
        return [(path.name, path)]
    return list(files_of(path))


def _sources(path: Path) -> list[tuple[str, Path]]:
    """Return every source file of a bot with its path in it."""
    sources: list[tuple[str, Path]] = []
    for name, file in _files(path):
        if discovery.is_source(name):
            sources.append((name, file))
    return sources


def _first_part(path: Path) -> tuple[str, bool]:
    """Return the text of a file as far as it is read, and whether that is all of it."""
    with path.open("rb") as file:
        content = file.read(MOST_READ + 1)
    is_whole = len(content) <= MOST_READ
    text = content[:MOST_READ].decode("utf-8", "replace")
    return text, is_whole


def _program_text(path: Path) -> tuple[str, list[int], str]:
    """Return the text of a file that is compared, the number of each of its lines, and a remark.

    Lines are dropped that are empty or only a comment. The remark says which part is left out; it
    is empty if none is.
    """
    text, is_whole = _first_part(path)
    remark = ""
    if not is_whole:
        remark = f"compared only in its first {size(MOST_READ)}"
    letters = 0
    lines: list[str] = []
    numbers: list[int] = []
    for number, line in enumerate(LINE_END.split(text), 1):
        stripped = line.strip()
        if not stripped or _is_comment(stripped, path.suffix):
            continue
        letters += len(line) + 1
        if letters > LARGEST_FILE:
            remark = f"compared only in its first {size(LARGEST_FILE)} without comments"
            break
        lines.append(line)
        numbers.append(number)
    return "\n".join(lines), numbers, remark


def _is_comment(words: str, suffix: str) -> bool:
    """Return whether a line of a file with this ending is only a comment."""
    beginning = COMMENTS.get(suffix)
    if beginning is None or not words.startswith(beginning):
        return False
    return not any(end in words for end in ENDS_MORE)


def _shingles(tokens: Sequence[TokenOnLine]) -> Iterator[Shingle]:
    """Yield the hash of each sequence of TOKENS tokens, in order."""
    words = [word for word, _ in tokens]
    for start in range(len(words) - TOKENS + 1):
        sequence = words[start : start + TOKENS]
        yield hash(tuple(sequence))


def _lexed(files: Sequence[Path]) -> Generator[tuple[list[TokenOnLine], str]]:
    """Yield the tokens of each file, read in another process, and a remark on the part left out.

    If a file takes too much time or memory there, its tokens are its words.
    """
    # They are made here, once: each of those processes would import them again.
    lexers = {file.suffix: _lexer(file.suffix) for file in files}
    done = 0
    while done < len(files):
        files_left = files[done:]
        try:
            for tokens, remark in limited(
                lambda: (  # `files_left` does not change while this runs
                    _first_tokens(file, lexers[file.suffix])
                    for file in files_left  # noqa: B023
                ),
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


def _first_tokens(path: Path, lexer: Lexer | None) -> tuple[list[TokenOnLine], str]:
    """Return the first tokens of a file with their lines, and a remark on the part left out."""
    text, numbers, remark = _program_text(path)
    first_tokens = islice(_tokens(text, lexer), MOST_TOKENS + 1)
    tokens: list[TokenOnLine] = []
    for word, line in first_tokens:
        line_of_text = min(line, len(numbers))
        number = numbers[line_of_text - 1]
        tokens.append((word, number))
    if len(tokens) > MOST_TOKENS:
        remark = f"compared only in its first {MOST_TOKENS} words"
    return tokens[:MOST_TOKENS], remark


def _tokens(text: str, lexer: Lexer | None) -> Iterator[TokenOnLine]:
    """Yield the tokens of a program with their lines, without comments.

    Each name gives the same token, and so does each number or text.
    """
    lexed: Iterable[tuple[Any, str]]
    if lexer is None:
        lexed = [(Token, word) for word in re.findall(r"\s+|\S+", text)]
    else:
        lexed = lexer.get_tokens(text)
    line = 1
    for kind, value in lexed:
        is_name = kind in Name and kind not in Name.Builtin
        is_text = kind in Literal.String and kind not in Literal.String.Doc
        if is_name:
            yield "name", line
        elif is_text or kind in Literal.Number:
            if value.strip("\"' "):
                yield "literal", line
        elif kind not in Comment and kind not in Literal:
            for word in WORD.findall(value):
                yield word, line
        line += value.count("\n")


@cache
def _lexer(suffix: str) -> Lexer | None:
    try:
        return get_lexer_for_filename(f"bot{suffix}", stripnl=False)
    except ClassNotFound:
        return None


def _marked(program: ComparedProgram, shingles: Collection[Shingle]) -> list[Line]:
    """Return the lines of a program, where lines of shared passages are marked.

    Of a long file return only the lines near them.
    """
    lines: list[Line] = []
    sources = _sources(program.path)
    files = [file for _, file in sources]
    tokens_of_files = _lexed(files)
    for (name, path), (tokens, _) in zip(sources, tokens_of_files, strict=True):
        shared = _shared_lines(tokens, shingles)
        text, _ = _first_part(path)
        texts = LINE_END.split(text.rstrip("\n"))
        last = 0
        for number in _nearby_lines(len(texts), shared):
            between = number - last - 1
            if between:
                note = f"({between} lines that are not shared)"
                lines.append(Line(file=name, text=note, shared=False))
            line = Line(
                file=name,
                text=_harmless(texts[number - 1]),
                shared=number in shared,
            )
            lines.append(line)
            last = number
    return lines


def _shared_lines(tokens: Sequence[TokenOnLine], shingles: Collection[Shingle]) -> set[int]:
    """Return the numbers of the lines that are in a passage with one of these shingles."""
    shared: set[int] = set()
    for start, shingle in enumerate(_shingles(tokens)):
        if shingle not in shingles:
            continue
        _, first_line = tokens[start]
        _, last_line = tokens[start + TOKENS - 1]
        shared.update(range(first_line, last_line + 1))
    return shared


def _nearby_lines(count: int, shared: Iterable[int]) -> Iterable[int]:
    """Return the numbers of the lines of a file, or of the lines near shared ones if it is long."""
    if count <= LINES:
        return range(1, count + 1)
    nearby: set[int] = set()
    for line in shared:
        first = max(1, line - AROUND)
        last = min(count, line + AROUND)
        nearby.update(range(first, last + 1))
    return sorted(nearby)


def _harmless(line: str) -> str:
    """Return a line of a program, which may be hostile, with blanks for control characters."""
    text = line.expandtabs(4)
    characters: list[str] = []
    for character in text[:LINE]:
        if character.isprintable():
            characters.append(character)
        else:
            characters.append(" ")
    return "".join(characters)
