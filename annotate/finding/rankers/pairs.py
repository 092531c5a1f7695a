"""Pairs of question and document to learn from: relevant ones, hard ones that share its words, others by lot."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from annotate.articles.sentences import split_sentences
from annotate.finding.library import Document
from annotate.finding.question import Question
from annotate.finding.rankers.judged_questions import Judged

# Negatives are taken from this many first documents by words.
HARD_POOL = 50
# Questions of several facets are asked whole this often, else with some facets alone, as people do.
WHOLE = 0.4


@dataclass(frozen=True, slots=True)
class Pair:
    """A question's words, a document's key, and 1.0 where it is relevant."""

    asked: str
    key: str
    label: float


def pairs_of(
    judged: Judged,
    by_words: Callable[[Question, int], Sequence[tuple[str, float]]],
    *,
    negatives: int,
    most: int,
    generator: np.random.Generator,
) -> list[Pair]:
    """About `most` pairs over all questions, by lot; of each question's relevant documents with `negatives` others
    each, half of these among the best by words, where it is known that these are not relevant. Not relevant is a
    document graded 0, and in a collection of files one without a grade."""
    names = sorted(judged.questions)
    keys = sorted(judged.documents)
    each_question = max(1, most // ((1 + negatives) * max(1, len(names))))
    found: list[Pair] = []
    for place in generator.permutation(len(names)):
        if len(found) + 1 + negatives > most:
            break
        number = names[place]
        relevant = judged.relevant(number)
        if len(relevant) > each_question:
            relevant = [relevant[i] for i in sorted(generator.permutation(len(relevant))[:each_question])]
        question = part_of(judged.questions[number], generator)
        others = _others(judged, number, by_words(question, HARD_POOL), keys, negatives * len(relevant), generator)
        found += [Pair(question.asked, key, 1.0) for key in relevant]
        found += [Pair(question.asked, key, 0.0) for key in others]
    return found


def _others(
    judged: Judged,
    number: str,
    ranking: Sequence[tuple[str, float]],
    keys: Sequence[str],
    count: int,
    generator: np.random.Generator,
) -> list[str]:
    relevant = {key for key, grade in judged.grades[number].items() if grade > 0}
    hard = [key for key in judged.counted(number, [key for key, _ in ranking]) if key not in relevant]
    taken = [hard[i] for i in generator.permutation(len(hard))[: (count + 1) // 2]]
    free = [key for key in keys if key not in relevant and key not in set(taken)]
    return taken + [free[i] for i in generator.permutation(len(free))[: count - len(taken)]]


def part_of(question: Question, generator: np.random.Generator) -> Question:
    """The question, or some of its facets."""
    if question.text or len(question.facets) < 2 or generator.random() < WHOLE:
        return question
    names = list(question.facets)
    count = int(generator.integers(1, len(names)))
    chosen = sorted(generator.permutation(len(names))[:count])
    return Question(facets={names[i]: question.facets[names[i]] for i in chosen})


def sentences_of(document: Document) -> list[str]:
    """Title and sentences of the abstract, in order."""
    own = [document.text[start:end] for start, end in split_sentences(document.text)]
    return [document.title, *own] if document.title else own
