"""A call of a language model in words: its question, and what its answer cost. Pure."""

import json

from arena.values import ModelAnswer, ModelCall


def usage_of(answer: ModelAnswer) -> str:
    """Return what else is known of the tokens and the cost of a call, in words; often nothing."""
    parts = []
    if answer.cached:
        parts.append(f"{answer.cached} of the question from a cache")
    if answer.cache_written:
        parts.append(f"{answer.cache_written} of the question were written to a cache")
    if answer.thoughts:
        parts.append(f"{answer.thoughts} of the answer were thoughts")
    if answer.cost is not None:
        parts.append(f"it cost {answer.cost:.4g}")
    if answer.is_estimated:
        parts.append("the provider gave no credible figures")
    return ", ".join(parts)


def question_of(call: ModelCall) -> str:
    """Return the messages of a call of a language model as a text.

    A record that arena did not write may have anything instead, which is returned as it is.
    It may be hostile: `clean` each line before it is shown.
    """
    lines = []
    try:
        for message in json.loads(call.request)["messages"]:
            lines.append(f"{message['role']}: {message['content']}")
    except (ValueError, TypeError, KeyError, RecursionError):
        return call.request
    return "\n".join(lines)
