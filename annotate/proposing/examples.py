"""What is learnt from a topic's examples, and from verdicts: which sentences of any article are like them; no torch."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
from sqlalchemy.orm import Session

import db.articles
import db.proposing
import db.rows
from annotate.embeddings.stored_vectors import embeddings_of
from annotate.project.memory import Memory
from annotate.proposing.prompts import sentence_key
from annotate.proposing.unlabelled import sample_of, sample_row, unlabelled_of
from annotate.topics.project_topic import topic_now
from db import tables
from db.tables import ModelVersion
from db.values import TAUGHT
from model.active_learning.self_training import Labelled, Unlabelled
from model.active_learning.structure import STRUCTURE
from model.active_learning.taught import UNLABELLED_WEIGHT
from model.active_learning.wording import Wording
from model.proposing.rules import Examples, Rules

KEPT = 4  # of what was learnt: for topics that are tried on the page Topic, and at earlier times
FOLDS = 5  # of the articles that teach
# The number of verdicts at which the ranker of the examples and the ranker of both count the same: few verdicts
# make no ranking worse than it began. On three topics 10 makes more rankings worse, and 50 gains less
# (docs/measurements/ranking.md).
EVEN = 20
# Unjudged sentences of each article that teaches. What was proposed, and judged, is like what counts: with no other
# sentences the ranking would not learn what is unlike it.
UNJUDGED = 20


class Likeness:
    """What sentences are like those that count, by ranker: an article that taught is ranked by what others taught.

    labelled: all n sentences that teach, of weight 1.0 where people judged them. `articles` (n,): the ids of their
    articles, 0 for the topic's own examples, from which all learn but the articles in which they stand.
    unlabelled: what the rankers train themselves on.
    """

    def __init__(self, labelled: Labelled, articles: np.ndarray, unlabelled: Unlabelled) -> None:
        self._labelled, self._unlabelled = labelled, unlabelled
        taught = sorted({*articles.tolist()} - {0})
        self._fold = {article_id: place % FOLDS for place, article_id in enumerate(taught)}
        self._folds = np.array([self._fold.get(article_id, -1) for article_id in articles.tolist()])
        self._examples = {row: _plain(labelled.texts[row]) for row in np.flatnonzero(self._folds == -1).tolist()}
        self._rankers: dict[tuple[int | None, frozenset[int]], Wording] = {}  # by the fold and rows that are left out

    def ranker_for(self, article_id: int, texts: Sequence[str] = ()) -> Wording:
        """The ranker of an article with these sentences, fitted when it is first asked for: up to a second or two.

        Examples that stand in the article do not teach it. Where the other examples are not of both kinds, all
        sentences are alike.
        """
        there = {_plain(text) for text in texts}
        own = frozenset(row for row, example in self._examples.items() if example in there)
        left_out = self._fold.get(article_id), own
        if left_out not in self._rankers:
            self._rankers[left_out] = self._fitted(*left_out)
        return self._rankers[left_out]

    def _fitted(self, fold: int | None, own: Collection[int]) -> Wording:
        """What is learnt without the articles of a fold and without these rows of examples."""
        rows = np.full(len(self._folds), True) if fold is None else self._folds != fold
        rows[[*own]] = False
        examples = self._labelled.part(rows & (self._folds == -1))
        if len({*examples.truth.tolist()}) < 2:
            return Wording({}, np.zeros(len(STRUCTURE)))
        verdicts = int((rows & (self._folds != -1) & (self._labelled.weights == 1.0)).sum())
        taught, ranker = self._labelled.part(rows), examples.fitted()
        if verdicts:
            ranker = ranker.mixed(taught.fitted(), verdicts / (verdicts + EVEN))
        return self._unlabelled.self_trained(ranker, taught)


def _plain(text: str) -> str:
    """A sentence as examples are written: with single blanks."""
    return " ".join(text.split())


def unjudged(article_id: int, positions: Collection[int]) -> list[int]:
    """At most UNJUDGED of these unjudged positions, which teach too, by a lot that falls the same each time."""
    drawn = np.random.default_rng(article_id).permutation(sorted(positions))[:UNJUDGED]
    return sorted(drawn.tolist())


def sentences_of(examples: Examples) -> tuple[str, ...]:
    """The sentences to be embedded before anything is learnt, those that count first; none where they weigh nothing."""
    return (*examples.accepted, *examples.rejected) if examples.weight else ()


def example_vectors(session: Session, version: ModelVersion, sentences: Sequence[str]) -> dict[str, bytes]:
    """The stored vectors, float32, by sentence; the sentences that wait to be embedded are left out."""
    keys = {sentence: sentence_key(version, sentence) for sentence in sentences}
    stored = db.proposing.query_vectors(session, version.id, list(keys.values()))
    return {sentence: stored[key] for sentence, key in keys.items() if key in stored}


def all_embedded(session: Session, version: ModelVersion, examples: Examples) -> bool:
    """Whether no example waits to be embedded."""
    sentences = sentences_of(examples)
    return len(example_vectors(session, version, sentences)) == len({*sentences})


_tried: Memory[object, Likeness] = Memory()
_learnt: Memory[object, Likeness] = Memory()


def _kept(memory: Memory[object, Likeness], mark: object, make: Callable[[], Likeness]) -> Likeness:
    """What was learnt at this mark: of the KEPT used last, or made."""
    kept = memory.here()
    found = kept.pop(mark, None) or make()
    kept[mark] = found
    for older in [*kept][:-KEPT]:
        kept.pop(older, None)
    return found


def example_likeness(session: Session, version: ModelVersion, rules: Rules) -> Likeness | None:
    """What was learnt before any verdict, by the words alone where an example waits to be embedded; None where the
    examples weigh nothing."""
    if not sentences_of(rules.examples):
        return None
    sample = sample_of(session, version)
    mark = (version.id, rules.name, all_embedded(session, version, rules.examples), *sample)
    return _kept(_tried, mark, lambda: _likeness(session, version, rules, {}, sample))


def taught_row(session: Session, until: str | None = None) -> tables.Setting | None:
    """The verdicts that teach under the topic that holds, or that taught at a time; None before there were any:
    {"topic": its name, "labels": {article id: {position: 1 or 0}}, "verdicts": how many had been given}, with texts for
    numbers, as JSON has them."""
    row = db.rows.find(session, tables.Setting, name=TAUGHT, until=until)
    return row if row is not None and row.content["topic"] == topic_now(session).name else None


def taught_mark(session: Session, until: str | None = None) -> tuple[int, ...]:
    """What tells the verdicts and the sample that teach from others; 0 for what teaches nothing yet."""
    return tuple(row.id if row else 0 for row in (taught_row(session, until), sample_row(session, until)))


def likeness(session: Session, version: ModelVersion, rules: Rules, until: str | None = None) -> Likeness | None:
    """What was learnt from a topic's examples, from verdicts and from unlabelled sentences, by now or until a time (ISO
    8601 in UTC). All examples must be embedded. None where they weigh nothing.

    What sentences mean counts where all that teach are embedded under this version. Not under a fine-tuned one: its
    vectors were trained on the same labels, and would count for more than they are worth.
    """
    if not sentences_of(rules.examples):
        return None

    def learnt() -> Likeness:
        row, sample = taught_row(session, until), sample_row(session, until)
        labels = {
            int(number): {int(position): label for position, label in given.items()}
            for number, given in (row.content["labels"] if row else {}).items()
        }
        return _likeness(session, version, rules, labels, sample.content["article_ids"] if sample else [])

    return _kept(_learnt, (version.id, rules.name, taught_mark(session, until)), learnt)


def _likeness(
    session: Session,
    version: ModelVersion,
    rules: Rules,
    labels: Mapping[int, Mapping[int, int]],
    sample: Sequence[int],
) -> Likeness:
    sentences = sentences_of(rules.examples)
    is_tuned = version.parent_id is not None
    embedded = {} if is_tuned else embeddings_of(session, version.id, [*labels])
    own = {} if is_tuned else example_vectors(session, version, sentences)
    texts, truth, articles = [*sentences], _truth_of(rules.examples).tolist(), [0] * len(sentences)
    weights = [1.0] * len(sentences)
    vectors = [np.frombuffer(own[sentence], np.float32) for sentence in sentences if sentence in own]
    by_article: dict[int, dict[int, str]] = defaultdict(dict)
    for one in db.articles.sentences(session, [*labels]):
        by_article[one.article_id][one.position] = one.text
    for article_id, there in by_article.items():
        judged = {position: label for position, label in labels[article_id].items() if position in there}
        others = unjudged(article_id, there.keys() - judged.keys())
        texts += [there[position] for position in (*judged, *others)]
        truth += [*judged.values(), *[0] * len(others)]
        weights += [1.0] * len(judged) + [UNLABELLED_WEIGHT] * len(others)
        articles += [article_id] * (len(judged) + len(others))
        if article_id in embedded:
            vectors += list(embedded[article_id][[*judged, *others]].astype(np.float32))
    known = np.stack(vectors) if len(vectors) == len(texts) else None
    labelled = Labelled(texts, known, np.array(truth), np.array(weights))
    return Likeness(labelled, np.array(articles), unlabelled_of(session, version, rules, sample, labels))


def _truth_of(examples: Examples) -> np.ndarray:
    return np.array([1] * len(examples.accepted) + [0] * len(examples.rejected))
