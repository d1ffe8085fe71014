"""Answers to SQuAD's questions by rules, without training."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from allennlp.data import Instance

from elmo_plugin.experiments.simple_baselines.gold import metadata_of

# Question words and others that tell nothing about the sentence with the answer.
_FUNCTION_WORDS = {
    *("a", "an", "and", "are", "as", "at", "be", "been", "by", "did", "do", "does", "for", "from"),
    *("had", "has", "have", "how", "in", "is", "it", "its", "many", "much", "name", "of", "on"),
    *("or", "that", "the", "their", "them", "they", "this", "to", "was", "were", "what", "when"),
    *("where", "which", "who", "whom", "whose", "why", "with"),
}
_NUMBER_QUESTIONS = ("when", "how many", "how much", "what year", "in what year", "what percentage")
_FALLBACK = 4  # tokens
Span = tuple[int, int]
"""First token, and the token after the last."""


def answer(instance: Instance) -> str:
    """Guess the answer of a question, see `answer_span`."""
    metadata = metadata_of(instance)
    start, end = answer_span(metadata["question_tokens"], metadata["passage_tokens"])
    offsets = metadata["token_offsets"]
    passage: str = metadata["original_passage"]
    return passage[offsets[start][0] : offsets[end - 1][1]]


def answer_span(question: Sequence[str], passage: Sequence[str]) -> Span:
    """
    Guess the answer: in the sentence that shares the rarest words with the question, the run of
    numbers or capitalized words, none of them in the question, that is nearest to a shared word.

    # Parameters

    question, passage : `Sequence[str]`
        Tokens; not empty.
    """
    asked = {word.lower() for word in question} - _FUNCTION_WORDS
    counts = Counter(word.lower() for word in passage)

    def overlap(sentence: Span) -> float:
        found = asked & {word.lower() for word in passage[slice(*sentence)]}
        # The order of a set differs by process, which a rounded sum would show.
        return math.fsum(1 / counts[word] for word in found)

    start, end = max(_sentences(passage), key=overlap)
    shared = [i for i in range(start, end) if passage[i].lower() in asked] or [start]

    def distance(run: Span) -> int:
        return min(abs(i - shared_at) for i in range(*run) for shared_at in shared)

    numbers = _runs((start, end), [_is_number(word) for word in passage], asked, passage)
    names = _runs((start, end), [word[:1].isupper() for word in passage], asked, passage)
    is_number_asked = " ".join(question).lower().startswith(_NUMBER_QUESTIONS)
    first, second = (numbers, names) if is_number_asked else (names, numbers)
    after = min(shared[-1] + 1, end - 1)
    return min(first or second or [(after, min(after + _FALLBACK, end))], key=distance)


def _sentences(passage: Sequence[str]) -> list[Span]:
    ends = [i + 1 for i, word in enumerate(passage) if word in (".", "?", "!")]
    ends = [*ends, len(passage)] if not ends or ends[-1] < len(passage) else ends
    return list(zip([0, *ends], ends))


def _is_number(word: str) -> bool:
    return re.fullmatch(r"[$£€]?\d[\d.,]*%?", word) is not None


def _runs(
    sentence: Span, is_candidate: Sequence[bool], asked: Iterable[str], passage: Sequence[str]
) -> list[Span]:
    """Return the longest runs of candidates in a sentence that are not in the question."""
    start, end = sentence
    # A function word at the start of a sentence is capitalized, but is no name.
    chosen = [
        is_candidate[i]
        and passage[i].lower() not in asked
        and passage[i].lower() not in _FUNCTION_WORDS
        for i in range(start, end)
    ]
    text = "".join("x" if one else " " for one in chosen)
    return [(start + m.start(), start + m.end()) for m in re.finditer("x+", text)]
