"""The sentence on who may be the best on each board."""

from arena.results.leaderboard.best_words import best_on_boards

BOARDS = {"maze/hunt": "hunt", "maze/duel": "duel"}
END = "(95 % confidence; matches on other boards count a little, too)"


def rows(board, scores=(), **ranks):
    scores = dict(scores)
    return [
        {
            "board": board,
            "role": None,
            "display": bot,
            "rank_low": low,
            "score": scores.get(bot, 50),
        }
        for bot, low in ranks.items()
    ]


def test_the_sentence_names_each_bot_that_may_be_first_and_the_level():
    rankings = rows("maze/hunt", ann=1, bob=1, cat=2) + rows("maze/duel", cat=1, ann=2)
    assert best_on_boards(rankings, BOARDS) == f"the best on hunt is ann or bob; on duel cat {END}"


def test_the_highest_score_of_a_board_is_named_first():
    rankings = rows("maze/hunt", {"bob": 60}, ann=1, bob=1) + rows("maze/duel", cat=1)
    assert best_on_boards(rankings, BOARDS) == f"the best on hunt is bob or ann; on duel cat {END}"


def test_of_many_bots_the_sentence_names_three_and_counts_the_others():
    rankings = rows("maze/hunt", a=1, b=1, c=1, d=1, e=1) + rows("maze/duel", a=1)
    sentence = best_on_boards(rankings, BOARDS)
    assert sentence == f"the best on hunt is a, b, c or 2 more; on duel a {END}"
    rankings = rows("maze/hunt", a=1, b=1, c=1, d=1)
    sentence = best_on_boards(rankings, {"maze/hunt": "hunt"})
    assert sentence == "the best on hunt is a, b, c or d (95 % confidence)"


def test_the_sentence_of_a_single_board_names_no_other_boards():
    rankings = rows("maze/hunt", {"bob": 60}, ann=1, bob=1, cat=2)
    sentence = best_on_boards(rankings, {"maze/hunt": "hunt"})
    assert sentence == "the best on hunt is bob or ann (95 % confidence)"


def test_there_is_no_sentence_for_many_boards_and_where_nobody_is_ranked():
    rankings = rows("maze/hunt", ann=1)
    assert best_on_boards(rankings, BOARDS) == ""
    assert best_on_boards(rankings, dict.fromkeys("abcde", "board")) == ""
