"""What the trained stages learn from: questions with judged documents, of files or of the project's own verdicts."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import db.finding.questions
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
    told: Mapping[str, Any]
    is_whole: bool = True

    @property
    def trained_on(self) -> dict[str, Any]:
        """What is kept with a version that learns from these: where they are from, and marks of the questions."""
        return {**self.told, "questions": len(self.questions), "asked": marks_of(self.questions.values())}

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
    told = {"files": {name: {"file": path.name, "sha256": sha256_of(path)} for name, path in files.items()}}
    found = Judged(
        {each.key: each for each in read_documents(documents)},
        read_questions(questions),
        read_judgements(judgements),
        told,
    )
    return _enough(found)


def stored_judged() -> Judged:
    """What people said of found articles, each as most of them say. Raises NothingToLearn."""
    with read() as session:
        rows = db.finding.questions.verdicts(session)
    votes: dict[tuple[str, str], int] = {}
    questions: dict[str, Question] = {}
    for number, question, key, grade in rows:
        name = hashlib.sha256(repr((number, question)).encode()).hexdigest()[:16]
        questions[name] = replace(from_stored(question).question, filters=Filters())
        votes[name, key] = votes.get((name, key), 0) + (1 if grade else -1)
    grades: dict[str, dict[str, int]] = {}
    for (name, key), vote in votes.items():
        if vote:
            grades.setdefault(name, {})[key] = int(vote > 0)
    documents = StoredLibrary().documents({key for own in grades.values() for key in own})
    marked = hashlib.sha256(repr(sorted(votes.items())).encode()).hexdigest()
    told = {"verdicts": len(rows), "verdicts_sha256": marked}
    return _enough(Judged(documents, questions, grades, told, is_whole=False))


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
