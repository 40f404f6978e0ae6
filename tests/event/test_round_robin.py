"""Who meets whom in a round robin, and how schedules are found."""

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import chain, groupby, permutations
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.event import schedules
from arena.event.schedules import round_robin
from arena.identity import ADDED_LATER, plain
from arena.values import Bot, Conditions, Event, Limits
from tests.support.paired import DUEL, HUNT, bot


def event(names="abc", boards=(DUEL,), bots=None, **more):
    bots = tuple(map(bot, names)) if bots is None else bots
    return Event(name="cup", seed=5, boards=boards, bots=bots, **more)


FIXED = [
    ("100be5ee86c8", 255578578571116, ""),
    ("240004b4b586", 214186040053918, ""),
    ("1b50327098bb", 79673601106753, "21baa7eab1e0901d9f3aee724000db4f"),
    ("c32872d1ae06", 79673601106753, "64ea2b886195f42d7ccef4f57850f849"),
]
"""Id, seed and key of four matches, as `digest_of` made them before their parts were encoded
once."""


def plan_of(of):
    return tuple(schedules.find(of.schedule).batch(of, 0, ()))


def seated(match):
    return tuple(seat.bot.name for seat in match.seats)


def test_every_ordered_pair_meets_once_on_each_board():
    plan = plan_of(event("abcd"))
    assert sorted(map(seated, plan)) == sorted(permutations("abcd", 2))


def test_one_bot_takes_all_roles_of_a_side():
    plan = plan_of(event("ab", (HUNT,)))
    assert [[(seat.role, seat.bot.name) for seat in match.seats] for match in plan] == [
        [("hare", "a"), ("cat", "b"), ("dog", "b")],
        [("hare", "b"), ("cat", "a"), ("dog", "a")],
    ]


def test_distinct_seating_gives_every_role_a_bot_of_its_own():
    plan = plan_of(event("abcd", (HUNT,), seating="distinct"))
    assert sorted(map(seated, plan)) == sorted(permutations("abcd", 3))


def test_distinct_seating_of_too_few_bots_is_no_match():
    assert plan_of(event("ab", (HUNT,), seating="distinct")) == ()


def test_legs_share_a_seed_and_repeats_and_pairs_do_not():
    plan = plan_of(event("abc", repeats=3))
    seeds = {(frozenset(seated(match)), match.repeat): match.seed for match in plan}
    assert all(match.seed == seeds[frozenset(seated(match)), match.repeat] for match in plan)
    assert len(set(seeds.values())) == len(seeds) == 9


def test_a_condition_that_is_added_later_changes_no_id_until_it_is_used():
    @dataclass(frozen=True, kw_only=True)
    class LaterLimits(Limits):
        colours: int = field(default=3, metadata=ADDED_LATER)

    def id_of(conditions):
        return plan_of(event(conditions=conditions))[0].id

    assert (
        id_of(Conditions())
        == id_of(Conditions(limits=LaterLimits()))
        != id_of(Conditions(limits=LaterLimits(colours=4)))
    )
    assert id_of(Conditions(syscalls=("memfd_create",))) != id_of(Conditions())
    assert id_of(Conditions(strikes=1)) != id_of(Conditions())


def test_a_new_condition_has_to_say_that_it_was_added_later():
    """A field that is not listed here needs `metadata=ADDED_LATER`; else the matches of stored
    events are due again.
    """
    names = {
        name: set(value) if isinstance(value, dict) else {name}
        for name, value in plain(Conditions()).items()
    }
    assert " ".join(sorted(chain(*names.values()))) == (
        "bank clock cpu files freeze keep margin memory move open_files output preload processes "
        "protocol sandbox "
        "scratch start stderr strikes warm"
    )


def test_ids_seeds_and_keys_are_those_of_the_first_arena():
    """Stored events would be played again if an id changed, by whatever makes planning quicker."""
    bots = (bot('q"ü'), bot("a!"), bot("a"))
    conditions = Conditions(strikes=2, limits=Limits(memory=None), syscalls=("memfd_create",))
    plain_seed = event(boards=(DUEL, HUNT), bots=bots, conditions=conditions, repeats=2)
    secret = Event(
        name="cup", seed="0123456789abcdef" * 2, boards=(HUNT,), bots=bots, seating="distinct"
    )
    found = [
        (match.id, match.seed, match.key)
        for of in (plain_seed, secret)
        for match in (plan_of(of)[0], plan_of(of)[-1])
    ]
    assert found == FIXED


def test_ids_are_unique():
    plan = plan_of(event("abcde", (DUEL, HUNT), repeats=2))
    assert len({match.id for match in plan}) == len(plan) == 80


def test_all_boards_and_pairings_come_once_before_any_comes_again():
    plan = plan_of(event("abc", (DUEL, HUNT), repeats=2))
    assert [
        (repeat, len(list(group)))
        for repeat, group in groupby(plan, key=lambda match: match.repeat)
    ] == [
        (0, 12),
        (1, 12),
    ]
    assert Counter(match.label for match in plan[:12]) == {"maze/duel": 6, "park/hunt": 6}


@pytest.mark.parametrize(
    "more", [{}, {"rounds": 2}, {"schedule": "gauntlet", "references": ("a",)}]
)
def test_the_legs_of_a_pairing_on_a_variant_of_a_board_come_one_after_the_other(more):
    plan = plan_of(
        event("abc", (replace(DUEL, sampled=("{}", "[]", "0")), HUNT), repeats=2, **more)
    )
    blocks = [
        block
        for block, _ in groupby(
            plan, key=lambda match: (match.label, match.repeat, set(seated(match)))
        )
    ]
    assert 2 * len(blocks) == len(plan) > 0


def test_only_bots_that_play_a_board_are_seated_there():
    bots = (bot("a"), bot("b"), bot("c", games=("park",)), bot("d", games=("maze/duel",)))
    plan = plan_of(event(boards=(DUEL, HUNT), bots=bots))
    names = {
        label: {name for match in plan if match.label == label for name in seated(match)}
        for label in ("maze/duel", "park/hunt")
    }
    assert names == {"maze/duel": {"a", "b", "d"}, "park/hunt": {"a", "b", "c"}}


def test_a_bot_takes_a_side_only_if_it_plays_every_role_of_it():
    bots = (bot("a"), bot("cat", roles=("cat",)), bot("pack", roles=("cat", "dog")))
    assert list(map(seated, plan_of(event(boards=(HUNT,), bots=bots)))) == [("a", "pack", "pack")]


def test_a_bot_of_one_role_is_seated_in_it_alone_when_seats_are_distinct():
    bots = (bot("a"), bot("b"), bot("cat", roles=("cat",)))
    plan = plan_of(event(boards=(HUNT,), bots=bots, seating="distinct"))
    assert list(map(seated, plan)) == [("a", "cat", "b"), ("b", "cat", "a")]


def test_an_edited_bot_makes_its_own_matches_due_again_and_no_others():
    before = {match.id for match in plan_of(event("abc"))}
    edited = Bot(name="c", command=("x",), digest="another")
    due = [
        match
        for match in plan_of(event(bots=(bot("a"), bot("b"), edited)))
        if match.id not in before
    ]
    assert sorted(map(seated, due)) == [("a", "c"), ("b", "c"), ("c", "a"), ("c", "b")]


def test_a_schedule_is_found_by_the_name_of_its_file():
    assert schedules.find("round_robin") is round_robin
    files = Path(schedules.__file__).parent.glob("[!_]*.py")
    assert set(schedules.names()) == {file.stem for file in files}


@pytest.mark.parametrize(
    ("name", "told"), [("round_robbin", "did you mean 'round_robin'? Known: "), ("x", "known: ")]
)
def test_an_unknown_schedule_is_told_with_the_ones_there_are(name, told):
    with pytest.raises(ArenaError, match=r"^schedule: there is no") as caught:
        schedules.find(name)
    assert told in str(caught.value)
