"""How far a newcomer agrees with the known labels: the score of the training round, and the differences in an
article."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy.orm import Session

import db.articles
import db.review.verdicts
from annotate.gold.label_sets import labels_now
from annotate.gold.practice import Answers, round_now
from db.values import Value
from model.agreement import Coefficient, pair_agreement


@dataclass(frozen=True, slots=True)
class Score:
    """Agreement with the gold over `n` sentences of `articles` articles. Shares are 0 to 1, None where undefined.

    precision: the share of sentences called key that are. recall: the share of key sentences called so.
    """

    articles: int
    n: int
    precision: float | None
    recall: float | None
    kappa: Coefficient


@dataclass(frozen=True, slots=True)
class Difference:
    """A sentence on which a newcomer and the gold differ, or both call key: the values, and what the gold notes."""

    position: int
    text: str
    said: bool
    is_key: bool
    about: str


def _gold_of(session: Session, article_ids: Sequence[int]) -> dict[int, dict[int, int]]:
    """By article, 1 or 0 by position of the sentences whose label is known; of one read in full that is every
    sentence."""
    labels = labels_now(session)
    gold = {number: dict(labels.labels.get(number, {})) for number in article_ids}
    for sentence in db.articles.sentences(session, [number for number in article_ids if number in labels.read]):
        gold[sentence.article_id].setdefault(sentence.position, 0)
    return gold


def score(session: Session, name: str, given: Mapping[int, Answers]) -> Score | None:
    """How far the answers of a person agree with the gold, over the articles they finished; None before any is.

    Sentences left unjudged or called unsure count as not key.
    """
    return _score(_gold_of(session, round_now(session, name)), given)


def scores(session: Session, given: Mapping[str, Mapping[int, Answers]]) -> dict[str, Score]:
    """The score of each person who has finished an article, by name."""
    gold = _gold_of(session, round_now(session))
    found = {name: _score(gold, theirs) for name, theirs in given.items()}
    return {name: one for name, one in found.items() if one}


def _score(gold: Mapping[int, Mapping[int, int]], given: Mapping[int, Answers]) -> Score | None:
    first, second, articles = [], [], []
    for article_id, known in gold.items():
        mine = given.get(article_id)
        if mine is None or not mine.finished:
            continue
        for position, is_key in known.items():
            first.append(int(mine.values.get(position) == Value.ACCEPT))
            second.append(is_key)
            articles.append(article_id)
    if not articles:
        return None
    said, key = np.array(first), np.array(second)
    found = pair_agreement(said, key, np.array(articles))
    both = int((said & key).sum())
    return Score(
        articles=len(set(articles)),
        n=len(said),
        precision=both / int(said.sum()) if said.any() else None,
        recall=both / int(key.sum()) if key.any() else None,
        kappa=found.cohen,
    )


def feedback(session: Session, article_id: int, given: Answers) -> list[Difference]:
    """The sentences that this person or the gold calls key, in reading order."""
    gold = _gold_of(session, [article_id])[article_id]
    about = _noted(session, article_id)
    return [
        Difference(
            sentence.position, sentence.text, said, bool(gold[sentence.position]), about.get(sentence.position, "")
        )
        for sentence in db.articles.sentences(session, [article_id])
        if sentence.position in gold
        and ((said := given.values.get(sentence.position) == Value.ACCEPT) or gold[sentence.position])
    ]


def _noted(session: Session, article_id: int) -> dict[int, str]:
    """What the annotators who labelled a sentence noted with it: names, the choice, and comments."""
    found: dict[int, dict[str, None]] = defaultdict(dict)
    for verdict, _, position in db.review.verdicts.current_verdicts(session, article_id=article_id):
        for words in (verdict.labels or {}).values():
            if words:
                found[position][words] = None
    positions = {number: position for position, number in db.articles.sentence_ids(session, article_id).items()}
    for comment, _ in db.review.verdicts.current_comments(session, article_id=article_id):
        if comment.sentence_id is not None and comment.text:
            found[positions[comment.sentence_id]][comment.text] = None
    return {position: " · ".join(words) for position, words in found.items()}
