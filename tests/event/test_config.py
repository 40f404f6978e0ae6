"""tournament.toml: what it gives, and the one line that each mistake in it is told."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.event import config, schedules
from arena.event.plan_key import plan_key
from arena.sandbox import cores
from tests.support import extras

ROOT = Path(__file__).parents[2]
SOUND = {"name": 'name = "cup"', "boards": 'boards = ["duel"]', "bots": 'bots = "bots"'}


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """A folder with two bots, where tournament.toml is to stand."""
    (tmp_path / "bots").mkdir()
    for name in ("ann", "bob"):
        (tmp_path / "bots" / f"{name}.py").write_text(f"# {name}\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(text):
    """A tournament.toml with these keys, and the least others that it needs; without any key that
    is given empty.
    """
    key = text.partition("=")[0].strip()
    lines = [line for known, line in SOUND.items() if known != key]
    Path("tournament.toml").write_text("\n".join([*lines, text]) + "\n", "utf-8")
    return Path("tournament.toml")


def refusal(text, step="load"):
    """The message about a tournament.toml with these keys, without the file's name."""
    path = write(text)
    if step == "event":
        loaded = config.load(path)
    with pytest.raises(ArenaError) as raised:
        loaded.event(Path()) if step == "event" else config.load(path)
    lines = str(raised.value).splitlines()
    assert all(line.startswith("tournament.toml: ") for line in lines) or step == "event"
    return "\n".join(line.removeprefix("tournament.toml: ") for line in lines)


def test_the_shipped_tournament_is_sound_and_has_five_bots_a_game():
    tournament = config.load(ROOT / "tournament.toml")
    assert tournament.boards[2:] == (
        "pacman/classic",
        "mummy_maze/tricky:6",
        "pacman/random:8",
    )  # to draw them takes seconds
    bots = tournament.entrants(ROOT)
    for game in ("mummy_maze", "pacman"):  # five bots that play every role of it
        assert (
            len(
                [
                    bot
                    for bot in bots
                    if bot.games in {(), (game,)} and not bot.roles and not bot.model
                ]
            )
            == 5
        )


def test_a_short_file_gets_every_default(workspace):
    event = config.load(write("")).event(workspace)
    assert (event.name, event.seed, event.repeats, event.schedule, event.seating) == (
        "cup",
        0,
        1,
        "round_robin",
        "sides",
    )
    assert [bot.name for bot in event.bots] == ["ann", "bob"]
    conditions = event.conditions
    assert (conditions.time.start, conditions.time.move, conditions.time.bank) == (5.0, 1.0, 0.0)
    assert (conditions.limits.memory, conditions.limits.cpu, conditions.limits.processes) == (
        256_000_000,
        60.0,
        1,
    )


def test_whole_numbers_of_seconds_and_sizes_in_words_are_read(workspace):
    conditions = config.load(write('[time]\nmove = 2\n[limits]\nmemory = "1 GiB"')).conditions()
    assert conditions.time.move == 2.0
    assert conditions.limits.memory == 1024**3


def test_none_is_no_limit(workspace):
    conditions = config.load(
        write('[time]\nmove = "none"\n[limits]\nmemory = "none"\ncpu = "none"')
    ).conditions()
    assert (conditions.time.move, conditions.limits.memory, conditions.limits.cpu) == (
        None,
        None,
        None,
    )


def test_bots_by_name_join_those_of_the_folder(workspace):
    text = (
        '[[bot]]\nname = "cyd"\npath = "bots/ann.py"\n[[bot]]\nname = "dan"\n'
        'command = ["true", "x"]'
    )
    bots = config.load(write(text)).entrants(workspace)
    assert [bot.name for bot in bots] == ["ann", "bob", "cyd", "dan"]
    assert bots[-1].command == ("true", "x")


def test_a_board_named_twice_is_played_once(workspace):
    event = config.load(write('boards = ["duel", "mummy_maze/duel", "mummy_maze"]')).event(
        workspace
    )
    assert [board.name for board in event.boards] == ["duel", "hunt", "duel_published", "court"]


def test_an_event_can_be_narrowed_to_some_bots_and_boards(workspace):
    (workspace / "bots" / "cyd.py").write_text("# cyd\n")
    wanted = config.load(write('boards = ["mummy_maze", "classic"]'))
    event = wanted.event(workspace, bots=["cyd", "ann", "cyd"], boards=["hunt", "pacman"])
    assert [bot.name for bot in event.bots] == ["ann", "cyd"]
    assert [board.label for board in event.boards] == ["mummy_maze/hunt", "pacman/classic"]


def test_overrides_replace_keys_by_their_dotted_names(workspace):
    wanted = config.load(
        write("[time]\nmove = 2"), {"repeats": 3, "time.move": 0.5, "limits.cpu": 7}
    )
    assert (wanted.repeats, wanted.time.move, wanted.limits.cpu) == (3, 0.5, 7.0)


def test_a_mistake_in_an_override_is_one_of_the_command_line(workspace):
    with pytest.raises(ArenaError, match=r"command line: time.move: expected more than 0, not -1"):
        config.load(write(""), {"time.move": -1})


def test_an_override_of_a_key_in_no_table_is_told(workspace):
    with pytest.raises(ArenaError, match=r"--set name\.first: 'name' is not a table"):
        config.load(write(""), {"name.first": 1})


MISTAKES = [
    # text, message
    ('repeats = "lots"', 'repeats: expected a whole number, not "lots"'),
    ("repeats = 0", "repeats: expected 1 or more, not 0"),
    ('stop_after = "soon"', 'stop_after: expected a time such as "10m", "1h 30m" or "90s"'),
    ('stop_after = "0s"', "stop_after: expected a time such as"),
    ('stop_when = "bored"', "stop_when: expected"),
    ("confidence = 1.0", "confidence: expected 0.9999 or less, not 1.0"),
    ("rounds = 0", "rounds: expected 1 or more, not 0"),
    ("repeats = 1.5", "repeats: expected a whole number, not 1.5"),
    ("repeats = true", "repeats: expected a whole number, not true"),
    ("seed = -1", "seed: expected 0 or more, not -1"),
    ("repeatz = 2", "repeatz: unknown key; did you mean 'repeats'?"),
    (
        "zzz = 2",
        (
            "zzz: unknown key; known: name, seed, boards, schedule, repeats, seating, rounds, "
            "references, "
        ),
    ),
    ("int = 2", "int: unknown key; known: name, seed, "),
    ('"tuple[int]" = 2', "tuple[int]: unknown key; known: name, seed, "),
    ("[time]\nfloat = 2", "time.float: unknown key; "),
    ("[tyme]\nmove = 1", "tyme: unknown key; did you mean 'time'?"),
    ("name = 3", "name: expected a text, not 3"),
    (
        'name = "a b"',
        "name: expected a word of letters, digits and . _ - that does not begin with . or -, not",
    ),
    (
        'name = "../up"',
        "name: expected a word of letters, digits and . _ - that does not begin with . or -, not",
    ),
    (f'name = "{"n" * 65}"', "name: expected at most 64 characters, not"),
    ('boards = "duel"', 'boards: expected a list, not "duel"'),
    ('boards = ["duel", 1]', "boards 2: expected a text, not 1"),
    ('seating = "side"', 'seating: expected "sides" or "distinct", not "side"'),
    ("bots = 3", "bots: expected a text, not 3"),
    ("time = 3", "time: expected a table, not 3"),
    ('[time]\nmove = "fast"', 'time.move: expected a number of seconds, or "none", not "fast"'),
    ("[time]\nmove = 0", "time.move: expected more than 0, not 0.0"),
    ("[time]\nmove = inf", 'time.move: expected a number of seconds, or "none", not inf'),
    ("[time]\nmove = nan", 'time.move: expected a number of seconds, or "none", not nan'),
    ("[time]\nmove = true", 'time.move: expected a number of seconds, or "none", not true'),
    ("[time]\nmoves = 1", "time.moves: unknown key; did you mean 'move'?"),
    ('[time]\nbank = "none"', 'time.bank: expected a number of seconds, not "none"'),
    ("[time]\nmargin = -0.1", "time.margin: expected 0 or more, not -0.1"),
    (
        '[limits]\nmemory = "lots"',
        'limits.memory: expected a size such as "256 MB", or "none", not "lots"',
    ),
    (
        "[limits]\nmemory = 1.5",
        'limits.memory: expected a size such as "256 MB", or "none", not 1.5',
    ),
    (
        "[limits]\nmemory = true",
        'limits.memory: expected a size such as "256 MB", or "none", not true',
    ),
    ('[limits]\nmemory = "0 MB"', "limits.memory: expected more than 0, not 0"),
    ("[limits]\nprocesses = 0", "limits.processes: expected 1 or more, not 0"),
    ("[faults]\nstrikes = -1", "faults.strikes: expected 0 or more, not -1"),
    ('[workers]\ncount = "lots"', 'workers.count: expected a whole number, or "auto", not "lots"'),
    (
        '[limits]\nmemory = "1 KB"',
        'limits.memory: expected "1 MB" or more: no program starts in less, not "1 KB"',
    ),
    ("[workers]\ncount = 999", 'workers.count: expected 512 or less, or "auto", not 999'),
    ("[workers]\ncount = 0", 'workers.count: expected 1 or more, or "auto", not 0'),
    ('[[bot]]\npath = "bots/ann.py"', "[[bot]] 1: name: this key is missing"),
    (
        '[[bot]]\nname = "x y"\ncommand = "c"',
        "[[bot]] 1: name: expected a word of letters, digits and . _ -",
    ),
    ('[[bot]]\nname = "x"\ncommand = 3', "[[bot]] 1: command: expected a text, or a list, not 3"),
    (
        '[[bot]]\nname = "x"\ncommand = ["a", 3]',
        "[[bot]] 1: command: expected a text, or a list of texts, not",
    ),
    (
        '[[bot]]\nname = "x"\nkommand = "a"',
        "[[bot]] 1: kommand: unknown key; did you mean 'command'?",
    ),
    ("bot = 3", "bot: expected a list, not 3"),
    ('[bot]\nname = "x"', "bot: expected [[bot]], with two brackets on each side"),
    ('"bad\\u001b[31m" = 3', "'bad\\x1b[31m': unknown key; known: "),
    ('name = "bad\\u001b[31m"', 'that does not begin with . or -, not "bad\\u001b[31m"'),
]


@pytest.mark.parametrize(("text", "message"), MISTAKES, ids=[text for text, _ in MISTAKES])
def test_a_mistake_is_one_line_with_the_key_and_what_was_expected(workspace, text, message):
    line = refusal(text)
    assert message in line
    assert line.isprintable()


def test_every_mistake_is_told_at_once(workspace):
    lines = refusal('[faults]\nstrikes = "none"\n[time]\nmoove = 1\nstart = 0').splitlines()
    assert [line.partition(": ")[0] for line in lines] == [
        "time.start",
        "time.moove",
        "faults.strikes",
    ]


@pytest.mark.parametrize("key", ["name", "boards"])
def test_a_key_that_must_be_there_is_missed_by_name(workspace, key):
    Path("tournament.toml").write_text(
        "\n".join(line for known, line in SOUND.items() if known != key)
    )
    with pytest.raises(ArenaError, match=f"^tournament.toml: {key}: this key is missing$"):
        config.load(Path("tournament.toml"))


def test_what_decides_the_rank_is_the_events(workspace):
    plain = config.load(write("")).event(workspace)
    assert (plain.rating, plain.tie_breaks) == ("bradley_terry", ())
    chosen = config.load(write('rating = "elo"\ntie_breaks = ["direct_encounter", "koya"]')).event(
        workspace
    )
    assert (chosen.rating, chosen.tie_breaks) == ("elo", ("direct_encounter", "koya"))
    matches = [
        event.match(event.boards[0], event.bots[:1] * len(event.boards[0].roles), 0)
        for event in (plain, chosen)
    ]
    assert matches[0] == matches[1]  # so that what is played already counts under another rating


def test_a_rating_is_a_name_or_a_table_with_a_name_and_a_prior(workspace):
    as_text = config.load(write('rating = "elo"')).event(workspace)
    as_table = config.load(write('[rating]\nname = "elo"')).event(workspace)
    plain = config.load(write('[rating]\nprior = "none"')).event(workspace)
    assert as_text == as_table
    assert (as_table.rating, as_table.has_prior) == ("elo", True)
    assert (plain.rating, plain.has_prior) == ("bradley_terry", False)
    assert plan_key(plain) == plan_key(replace(plain, prior="estimated"))
    assert refusal('[rating]\nprior = "wide"').startswith("rating.prior:")


@pytest.mark.parametrize(
    ("text", "overrides"),
    [
        ('rating = "elo"', {"rating.prior": "none"}),
        ('rating = {name = "elo"}', {"rating.prior": "none"}),
        ('[rating]\nname = "elo"', {"rating.prior": "none"}),
        ('rating.name = "elo"', {"rating.prior": "none"}),
        ('rating.prior = "none"', {"rating.name": "elo"}),
        ('rating = "points"', {"rating.name": "elo", "rating.prior": "none"}),
        ('rating = "points"', {"rating.prior": "none", "rating": "elo"}),
        ("", {"rating": {"name": "elo", "prior": "none"}}),
        ("", {"rating.prior": "none", "rating": "elo"}),
    ],
)
def test_the_prior_is_set_whether_the_rating_is_a_name_or_a_table(workspace, text, overrides):
    event = config.load(write(text), overrides).event(workspace)
    assert (event.rating, event.has_prior) == ("elo", False)


@pytest.mark.parametrize("rating", [3, ["elo"]])
def test_a_prior_beside_a_rating_that_is_neither_name_nor_table_is_refused(workspace, rating):
    with pytest.raises(ArenaError, match=r"--set rating\.prior: 'rating' is not a table"):
        config.load(write(""), {"rating": rating, "rating.prior": "none"})


LATER = [
    ("boards = []", "boards: none are named; `arena games` lists them"),
    ('boards = ["dual"]', "boards: there is no game or board 'dual'; did you mean 'duel'?"),
    ('boards = ["rules/nope.py"]', "boards: there is no rules file rules/nope.py"),
    ('schedule = "robin"', "schedule: there is no 'robin'; did you mean 'round_robin'?"),
    ('schedule = "gauntlet"', "references: a gauntlet needs bots to play against"),
    (
        'schedule = "gauntlet"\nreferences = ["an"]',
        "references: there is no bot 'an' in this event; did you mean 'ann'?",
    ),
    ('schedule = "gauntlet"\nreferences = ["bob", "ann"]', "references: all bots are named"),
    (
        (
            'boards = ["pacman/classic"]\nschedule = "gauntlet"\nreferences = ["bob", "ann"]\n'
            'seating = "distinct"'
        ),
        "bots: no board can be seated: pacman/classic needs 3 bots, of them one challenger",
    ),
    ('references = ["ann"]', 'references: only schedule = "gauntlet" has reference bots'),
    (
        'rating = {name = "eloo"}',
        (
            "rating: there is no 'eloo'; did you mean 'elo'? Known: alpha_rank, bradley_terry, "
            "elo, "
            "points"
        ),
    ),
    (
        'rating = {name = "points", prior = "none"}',
        "rating: prior: 'points' has none; only bradley_terry and elo have one: leave out `prior`",
    ),
    (
        'rating = "eloo"',
        (
            "rating: there is no 'eloo'; did you mean 'elo'? Known: alpha_rank, bradley_terry, "
            "elo, "
            "points"
        ),
    ),
    (
        'tie_breaks = ["wins", "bucholz"]',
        "tie_breaks: there is no 'bucholz'; did you mean 'buchholz'? Known: average_",
    ),
    ('tie_breaks = ["wins", "wins"]', "tie_breaks: 'wins' is named twice; once is enough"),
    ('bots = "nobots"', "bots: there is no folder nobots"),
    (
        'bots = "rules"',
        "bots: a tournament needs two, and there is none in the folder 'rules': add one there",
    ),
    (
        'bots = "one"',
        "bots: a tournament needs two, and there is only 'ann' in the folder 'one': add one there",
    ),
    ('[[bot]]\nname = "x"', "bot 'x': give it either a `path` or a `command`"),
    (
        '[[bot]]\nname = "x"\npath = "a.py"\ncommand = "c"',
        "bot 'x': give it either a `path` or a `command`",
    ),
    ('[[bot]]\nname = "x"\npath = "nope.py"', "bot 'x': path: nope.py: there is no such bot"),
    ('[[bot]]\nname = "x"\ncommand = ""', "command: it is empty"),
    ('[[bot]]\nname = "x"\ncommand = "a \'b"', "command: no closing quotation"),
    ('[[bot]]\nname = "ANN"\npath = "bots/ann.py"', "two bots are called 'ann' and 'ANN'"),
]


@pytest.mark.parametrize(("text", "message"), LATER, ids=[text for text, _ in LATER])
def test_what_the_file_names_is_looked_up_and_missed_in_one_line(workspace, text, message):
    (workspace / "rules").mkdir()
    (workspace / "one").mkdir()
    (workspace / "one" / "ann.py").write_text("# ann\n")
    line = refusal(text, step="event")
    assert message in line
    assert "\n" not in line


def test_a_file_without_bots_says_how_to_name_some(workspace):
    Path("tournament.toml").write_text('name = "cup"\nboards = ["duel"]\n')
    with pytest.raises(
        ArenaError, match=r'there is none in the \[\[bot\]\] tables: add one, or .* bots = "bots"'
    ):
        config.load(Path("tournament.toml")).event(workspace)


def test_a_single_chosen_bot_is_told_apart_from_a_lone_bot(workspace):
    with pytest.raises(ArenaError, match="only 'ann' among those chosen: choose more"):
        config.load(write("")).event(workspace, bots=["ann"])


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"bots": ["amn", "bob"]}, "there is no bot 'amn' in this event; did you mean 'ann'?"),
        ({"boards": ["hunt"]}, "there is no board 'hunt' in this event"),
        ({"boards": ["hunt"]}, "`boards` in tournament.toml adds another"),
    ],
)
def test_a_choice_that_is_not_in_the_event_is_told(workspace, chosen, message):
    with pytest.raises(ArenaError) as raised:
        config.load(write("")).event(workspace, **chosen)
    assert message in str(raised.value)


def test_bots_that_cannot_fill_any_board_are_told_why(workspace):
    wanted = config.load(write('boards = ["classic"]\nseating = "distinct"'))
    with pytest.raises(ArenaError) as raised:
        wanted.event(workspace)
    assert "pacman/classic needs 3 bots, and 2 bots of this event play there: add bots" in str(
        raised.value
    )
    assert "seating = 'distinct', by which every role wants a bot of its own" in str(raised.value)


@pytest.mark.parametrize(
    ("keys", "changes", "words"),
    [
        (
            'boards = ["duel"]',
            {"roles": ("explorer",)},
            "mummy_maze/duel needs 2 bots, and none plays mummy there",
        ),
        (
            'boards = ["duel"]',
            {"games": ("pacman",)},
            "mummy_maze/duel needs 2 bots, and 0 bots of this event play",
        ),
        (
            (
                'boards = ["classic"]\nseating = "distinct"\nschedule = "gauntlet"\n'
                'references = ["ann"]'
            ),
            {},
            "one challenger and 2 of `references`, and there are 2 challengers and 1 reference bot",
        ),
    ],
)
def test_an_event_with_too_few_bots_says_how_many_each_board_needs(workspace, keys, changes, words):
    wanted = config.load(write(keys))
    entrants = [replace(bot, **changes) for bot in wanted.entrants(workspace)]
    entrants.append(replace(entrants[0], name="third", digest="3"))
    with pytest.raises(ArenaError) as raised:
        wanted.event(workspace, entrants=tuple(entrants))
    assert words in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1


def test_a_missing_file_says_what_makes_one(workspace):
    with pytest.raises(ArenaError, match=r"^nope.toml: there is no such file; `arena init DIR`"):
        config.load(Path("nope.toml"))


def test_bad_toml_is_told_with_its_line(workspace):
    with pytest.raises(ArenaError, match=r"^tournament.toml: .*line 4"):
        config.load(write("repeats = "))


def test_a_folder_in_its_place_cannot_be_read(workspace):
    with pytest.raises(ArenaError, match=r"^bots: cannot be read: Is a directory$"):
        config.load(Path("bots"))


def test_a_file_in_another_encoding_is_told(workspace):
    Path("tournament.toml").write_bytes('name = "cäp"'.encode("latin-1"))
    with pytest.raises(
        ArenaError, match=r"^tournament.toml: this is not UTF-8 text \(byte 10\); save it as UTF-8$"
    ):
        config.load(Path("tournament.toml"))


@extras.needs()
def test_the_schema_for_editors_is_the_one_that_is_printed():
    """`python -m arena.event.config > docs/tournament.schema.json` writes it again."""
    assert (
        json.loads((ROOT / "docs" / "tournament.schema.json").read_text("utf-8")) == config.schema()
    )


def test_the_schema_knows_every_key_with_a_word_about_it():
    tables = [config.schema(), *config.schema()["$defs"].values()]
    keys = [key for table in tables for key in table["properties"].items()]
    assert len(keys) > 20
    assert [name for name, key in keys if not key.get("description")] == []


def test_the_schema_takes_the_texts_that_the_file_takes():
    tables = config.schema()["$defs"]
    assert {"const": "none"} in tables["Time"]["properties"]["move"]["anyOf"]
    assert {"type": "string"} in tables["LimitsTable"]["properties"]["memory"]["anyOf"]
    assert {"const": "auto"} in tables["WorkersTable"]["properties"]["count"]["anyOf"]


def test_calls_are_named_as_linux_names_them_and_none_that_every_bot_may_make(tmp_path):
    for syscalls, words in (
        (
            '["memfd_crate"]',
            "syscalls: Linux has no system call 'memfd_crate'; did you mean 'memfd_create'?",
        ),
        ('["read"]', "syscalls: every bot may call 'read' anyway: leave it out"),
    ):
        path = tmp_path / "tournament.toml"
        path.write_text(f'name = "x"\nboards = ["duel"]\nbots = "bots"\nsyscalls = {syscalls}\n')
        with pytest.raises(ArenaError) as refused:
            config.load(path).conditions()
        assert words in str(refused.value)
    path.write_text(
        'name = "x"\nboards = ["duel"]\nbots = "bots"\nsyscalls = ["memfd_create", "mmap"]\n'
    )
    assert config.load(path).conditions().syscalls == ("memfd_create", "mmap")


@pytest.mark.parametrize(
    ("limit", "threads"),
    [("", 1), ("[limits]\nthreads = 4", 4), ('[limits]\nthreads = "none"', 100)],
)
def test_a_bot_gets_as_many_threads_as_the_event_allows(workspace, limit, threads):
    (workspace / "bots" / "deep").mkdir()
    (workspace / "bots" / "deep" / "bot.toml").write_text('command = "true"\nthreads = 100\n')
    event = config.load(write(limit)).event(workspace)
    assert {bot.name: bot.threads for bot in event.bots} == {"ann": 1, "bob": 1, "deep": threads}


def test_no_limit_of_threads_changes_the_matches(workspace):
    plans = [
        [
            match.id
            for match in schedules.find("round_robin").batch(
                config.load(write(text)).event(workspace), 0, ()
            )
        ]
        for text in ("", "[limits]\nthreads = 4")
    ]
    assert plans[0] == plans[1]


ALONE = '[[bot]]\nname = "ann"\nprocesses = 2\n'


def test_the_organiser_gives_one_bot_processes_of_its_own(workspace):
    (workspace / "bots" / "deep").mkdir()
    (workspace / "bots" / "deep" / "bot.toml").write_text(
        'command = "true"\nlimits = {processes = 9}\n'
    )
    text = f'{ALONE}[[bot]]\nname = "cyd"\npath = "bots/bob.py"\nprocesses = 3\n'
    tournament = config.load(write(text))
    event = tournament.event(workspace)
    allowed = {bot.name: event.conditions.limits_of(bot).processes for bot in event.bots}
    assert allowed == {"ann": 2, "bob": 1, "cyd": 3, "deep": 1}  # a bot.toml can only ask
    asked = [sentence for bot in event.bots for sentence in tournament.unmet_requests(bot)]
    (sentence,) = asked
    assert sentence.startswith(
        "deep asks for 9 processes and gets 1: `processes = 9` in its [[bot]] table"
    )
    versions = tuple(replace(bot, name=f"{bot.name}@1") for bot in event.bots)
    assert {
        bot.name: bot.processes for bot in tournament.event(workspace, entrants=versions).bots
    } == {
        "ann@1": 2,
        "bob@1": None,
        "cyd@1": 3,
        "deep@1": None,
    }


def test_processes_of_its_own_give_a_bot_new_matches_and_no_other_bot(workspace):
    def ids(text: str) -> dict[frozenset[str], str]:
        event = config.load(write(text)).event(workspace)
        plan = schedules.find("round_robin").batch(event, 0, ())
        return {(*(seat.bot.name for seat in match.seats),): match.id for match in plan}

    (workspace / "bots" / "cyd.py").write_text("pass")
    plain, granted = ids(""), ids(ALONE)
    assert {pair for pair in plain if plain[pair] != granted[pair]} == {
        pair for pair in plain if "ann" in pair
    }
    assert ids(ALONE.replace("2", "3")) != granted
    assert ids(ALONE.replace("2", "1")) == plain  # what the event allows anyway


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (ALONE * 2, "bot 'ann': has two [[bot]] tables: write all its keys into one of them"),
        (
            f'[time]\nclock = "cpu"\n{ALONE}',
            (
                "bot 'ann': processes: time.clock = \"cpu\" counts the CPU time of one process: "
                "leave "
                "this key out"
            ),
        ),
        (ALONE.replace("2", "0"), "processes"),
    ],
)
def test_a_mistake_in_the_processes_of_a_bot_is_named(workspace, text, words):
    with pytest.raises(ArenaError) as refused:
        config.load(write(text)).event(workspace)
    assert words in str(refused.value)


def test_a_stranger_cuts_the_event_to_no_fewer_lanes(workspace):
    (workspace / "bots" / "deep").mkdir()
    (workspace / "bots" / "deep" / "bot.toml").write_text('command = "true"\nthreads = 128\n')
    assert cores.matches_at_once(config.load(write("")).event(workspace), 8) == 8
