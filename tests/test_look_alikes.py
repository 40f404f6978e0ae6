"""Names that look alike: which they are, and how tables, charts and clips show them."""

import pytest

from arena import look_alikes
from arena.display_names import display_names, shortened
from arena.event.discovery import names
from arena.values import Bot

ALIKE = [
    ("Ann", "\u0410nn"),  # Cyrillic
    ("ann", "\u0430nn"),
    ("Ann", "\u0391nn"),  # Greek
    ("ANN", "\u0430nn"),  # Cyrillic, in other case
    ("tom", "\u0422\u041e\u041c"),
    ("scope", "\u0455\u0441\u043e\u0440\u0435"),
    ("max", "m\u0430x"),
    ("Ann", "\uff21\uff4e\uff4e"),  # full-width
    ("Bot2", "Bot\uff12"),
    ("Ann", "\U0001d400\U0001d427\U0001d427"),  # mathematical
    ("Ann", "An\u200bn"),  # without a width
    ("Ann", "An\u00adn"),
    ("Ann", "\u202eAnn"),
    ("Ann", "An\ufe0fn"),
    ("Ann", "An\u034fn"),
    ("Ann", "Ann\u3164"),  # blank
    ("Ann Lee", "Ann\u00a0Lee"),
    ("Zo\u00eb", "Zoe\u0308"),  # composed or not
    ("Zo\u00eb", "Zo\u0451"),
    ("Kiri", "Ki\u0307ri"),  # a second dot
    ("fit", "\ufb01t"),  # a ligature
    ("Ann-1", "Ann\u20101"),
]
"""Pairs of names that nobody tells apart."""


def bots(*displays):
    return [
        Bot(name=f"b{number}", command=("x",), digest="", display=text)
        for number, text in enumerate(displays)
    ]


@pytest.mark.parametrize(("name", "other"), ALIKE)
def test_the_id_stands_beside_both_of_two_names_that_look_alike(name, other):
    assert display_names(bots(name, other, "Bob")) == {
        "b0": f"{name} (b0)",
        "b1": f"{other} (b1)",
        "b2": "Bob",
    }
    assert display_names(bots(other, name))["b1"] == f"{name} (b1)"


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("M\u00fcller", "Muller"),
        ("\u0141ukasz", "Lukasz"),
        ("Corner", "Comer"),
        ("s0", "sO"),
        ("\u738b", "\u5f20"),
        ("Ann", "\u0410nna"),
        ("Ann Lee", "AnnLee"),
    ],
)
def test_no_id_stands_beside_names_that_readers_tell_apart(name, other):
    assert display_names(bots(name, other)) == {"b0": name, "b1": other}


def test_a_name_that_looks_like_the_id_of_another_bot_has_its_own_behind_it():
    copycat = Bot(name="other", command=("x",), digest="", display="gr\u0435edy")
    greedy = Bot(name="greedy", command=("x",), digest="")
    assert display_names([copycat, greedy]) == {"other": "gr\u0435edy (other)", "greedy": "greedy"}


def test_a_name_that_looks_like_the_label_of_another_bot_is_not_shown():
    labels = display_names(bots("x", "x", "\u0445 (b0)"))
    assert labels == {"b0": "b0", "b1": "x (b1)", "b2": "b2"}


def test_two_names_that_each_look_like_a_third_are_all_told_apart_by_their_ids():
    labels = display_names(bots("Corner", "Comer", "\u0421orner"))
    assert list(labels.values()) == ["Corner (b0)", "Comer (b1)", "\u0421orner (b2)"]


def test_the_labels_of_a_chart_do_not_look_alike_when_their_middle_is_cut():
    texts = ["Anna Xenia Katharina Muster", "\u0410nna Yvonne Katharina Muster"]
    labels = shortened(texts, 12)
    assert not look_alikes.look_alike(*labels)
    assert len(set(look_alikes.groups(labels).values())) == 2


def test_two_people_whose_names_look_alike_are_listed_with_their_ids():
    people = [("Ann", "7"), ("\u0410nn", "8"), ("Bo", "9")]
    assert names.unambiguous(people) == ["Ann (7)", "\u0410nn (8)", "Bo"]
