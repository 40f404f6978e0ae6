"""What the benchmarks share: the picture of what was measured is drawn."""

import importlib.util
from pathlib import Path

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


def test_the_picture_of_what_was_measured_has_a_bar_for_each_row(tmp_path):
    spec = importlib.util.spec_from_file_location("picture", BENCHMARKS / "picture.py")
    picture = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(picture)
    rows = {"a loop in C": [48.5, 42.8, 58.8], "whole turns": [125.0, 105.0, 160.0]}
    picture.draw(tmp_path / "turns.png", "What a turn costs", "two cores", [picture.Panel("A turn", "us", rows)] * 2)
    assert (tmp_path / "turns.png").read_bytes().startswith(b"\x89PNG")
