"""What the trained stage learns from: questions with judged documents, and pairs of both."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import db.finding.questions
from annotate.articles.sentences import sentence_texts
from annotate.finding.asking.saved import from_stored
from annotate.finding.judged.judged_files import read_documents, read_judgements, read_questions
from annotate.finding.library import Document
from annotate.finding.question import Filters, Question, marks_of
from annotate.finding.stored_sentences import StoredLibrary
from annotate.project.home import read
from model.files import sha256_of

LEAST_QUESTIONS = 2


class NothingToLearn(ValueError):
    """Too few judged questions; the message says how many there are."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Documents by key, questions by id, and grades by question and document; `told` says where they are from.

    `is_whole`: whether a document without a grade is taken as not relevant, as in a collection of files. Among verdicts
    it is one that people have not looked at.
    """

    documents: Mapping[str, Document]
    questions: Mapping[str, Question]
    grades: Mapping[str, Mapping[str, int]]
    source: Mapping[str, Any]
    is_whole: bool = True

    @property
    def trained_on(self) -> dict[str, Any]:
        """What is kept with a version that learns from these: where they are from, and marks of the questions."""
        return {**self.source, "questions": len(self.questions), "asked": marks_of(self.questions.values())}

    def counted(self, question: str, keys: Sequence[str]) -> list[str]:
        """These documents, but for those of which nothing is known for a question."""
        own = self.grades.get(question, {})
        return [key for key in keys if self.is_whole or key in own]

    def relevant(self, question: str) -> list[str]:
        """The documents that are here and have a grade of 1 or more for a question, by key."""
        own = self.grades.get(question, {})
        return sorted(key for key, grade in own.items() if grade > 0 and key in self.documents)

    def only(self, questions: Sequence[str]) -> "Judged":
        """These judgements reduced to the questions with these numbers."""
        chosen = set(questions)
        return replace(
            self,
            questions={number: each for number, each in self.questions.items() if number in chosen},
            grades={number: each for number, each in self.grades.items() if number in chosen},
        )


def read_judged(documents: Path, questions: Path, judgements: Path) -> Judged:
    """A collection of files. Raises ValueError that names the file, the line and the reason, and NothingToLearn."""
    files = {"documents": documents, "questions": questions, "judgements": judgements}
    source = {"files": {name: {"file": path.name, "sha256": sha256_of(path)} for name, path in files.items()}}
    found = Judged(
        {each.key: each for each in read_documents(documents)},
        read_questions(questions),
        read_judgements(judgements),
        source,
    )
    return _enough(found)


def stored_judged() -> Judged:
    """What people said of found articles, each as most of them say. Raises NothingToLearn.

    Stored questions of the same words are one question, though several people ask it, with other filters.
    """
    with read() as session:
        rows = db.finding.questions.verdicts(session)
    questions: dict[str, Question] = {}
    last: dict[tuple[str, str, int], int | None] = {}
    for person, stored, key, grade in rows:
        question = replace(from_stored(stored).question, filters=Filters())
        (name,) = marks_of([question])
        questions[name] = question
        last[name, key, person] = grade
    given = {judged: grade for judged, grade in last.items() if grade not in (None, db.finding.questions.UNSURE)}
    votes: dict[tuple[str, str], int] = {}
    for (name, key, _), grade in given.items():
        votes[name, key] = votes.get((name, key), 0) + (1 if grade else -1)
    grades: dict[str, dict[str, int]] = {}
    for (name, key), vote in votes.items():
        if vote:
            grades.setdefault(name, {})[key] = int(vote > 0)
    documents = StoredLibrary().documents({key for own in grades.values() for key in own})
    marked = hashlib.sha256(repr(sorted(votes.items())).encode()).hexdigest()
    source = {"verdicts": len(given), "verdicts_sha256": marked}
    return _enough(Judged(documents, questions, grades, source, is_whole=False))


def _enough(judged: Judged) -> Judged:
    usable = [number for number, each in judged.questions.items() if each.asked and judged.relevant(number)]
    if len(usable) < LEAST_QUESTIONS:
        raise NothingToLearn(
            f"{len(usable)} questions have a relevant document among those here; {LEAST_QUESTIONS} are needed at least"
        )
    return judged.only(usable)


def folds_of(questions: Sequence[str], folds: int, seed: int) -> list[list[str]]:
    """The questions in `folds` parts of about equal size, by lot."""
    order = np.random.default_rng(seed).permutation(len(questions))
    names = sorted(questions)
    return [[names[i] for i in order[start::folds]] for start in range(folds)]


# Negatives are taken from this many first documents by words.
HARD_POOL = 50
# Questions of several facets are asked whole this often, else with only some facets, as people do.
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
    each. Half of these are among the best by words, and graded 0 or, in a collection of files, without a grade; the
    rest are by lot of all documents without the grade relevant."""
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
    own = sentence_texts(document.text)
    return [document.title, *own] if document.title else own
