"""Two versions compared on the same test articles: how much better one ranks, and how little of it may be chance."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.orm import Session

import db.evaluation
import db.registry
from annotate.articles.document_labels import labels_of, terms_of
from annotate.proposing.examples import taught_mark
from annotate.proposing.judged import judged_of
from annotate.topics.project_topic import topic_now
from db.tables import Evaluation
from db.values import Split
from model.evaluation.evidence import needed_at, sign_evidence
from model.evaluation.intervals import Estimate
from model.evaluation.summary import mean_difference, mean_interval

# The bootstrap of fewer articles is too narrow: three better ones of six would pass, which a coin does 1 time in 8.
MIN_ARTICLES = 10
# What evaluations keep of each article, so that two of them can be compared on the articles that are fair to both.
COMPARED = ("arp", "arp_without", "ndcg_at_20", "precision_at_1", "recall_at_5")
# It tells a true difference from chance with far fewer articles than R-precision: docs/measurements/training.md.
DECIDING = "ndcg_at_20"
# The share of versions only as good as the proposing one that are called better, at most: however many are tried
# against it, and however often each of them is looked at.
ERROR = 0.05

Pairs = dict[int, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The proposing version and a candidate on the same test articles under the same labels.

    `values` are, by measure, what each article has before and after, by its id; `fair` the articles in which the first
    sentences of both were judged; both are empty where either version was not evaluated. `tries` counts the versions
    that were made after the proposing one and measured, with the candidate.
    """

    before: Evaluation | None
    after: Evaluation | None
    values: dict[str, Pairs] = field(default_factory=dict)
    fair: frozenset[int] = frozenset()
    tries: int = 1

    @property
    def articles(self) -> int:
        """The number of articles that both were evaluated on."""
        return len(self.values.get("arp", ()))

    @property
    def is_fair(self) -> bool:
        """Whether enough articles are fair to both, so that the others are left out."""
        return len(self.fair) >= min(MIN_ARTICLES, max(1, self.articles))

    def deciding(self, measure: str) -> Pairs:
        """A measure before and after: of the fair articles where these are enough, else of all."""
        pairs = self.values.get(measure, {})
        return {number: pair for number, pair in pairs.items() if number in self.fair} if self.is_fair else pairs

    def means(self, measure: str) -> tuple[float, float] | None:
        """The mean of a measure before and after over the deciding articles; None where there are none."""
        pairs = self.deciding(measure)
        if not pairs:
            return None
        before, after = zip(*pairs.values(), strict=True)
        return sum(before) / len(before), sum(after) / len(after)

    def change(self, measure: str = "arp") -> Estimate | None:
        """The mean difference on the deciding articles with its paired 95% interval; None where there are none."""
        pairs = self.deciding(measure)
        if not pairs:
            return None
        before, after = zip(*pairs.values(), strict=True)
        return mean_difference(after, before)

    @property
    def evidence(self) -> float:
        """How strongly the fair articles say that the candidate ranks better; 1 where they say nothing."""
        if not self.is_fair:
            return 1.0
        return sign_evidence([after - before for before, after in self.deciding(DECIDING).values()])

    @property
    def needed(self) -> float:
        """The evidence from which on the candidate counts as better at this try."""
        return needed_at(self.tries, ERROR)

    @property
    def direction(self) -> int | None:
        """1 where the candidate is shown to rank better, -1 where it is shown to rank worse, 0 where no difference is
        shown; None where either was not evaluated under these labels."""
        change = self.change()
        if change is None:
            return None if self.before is None or self.after is None else 0
        if len(self.deciding("arp")) < MIN_ARTICLES:
            return 0
        worse = round(change.high, 3) < 0  # to the digits that people see
        return -1 if worse else int(self.evidence >= self.needed)

    @property
    def worse(self) -> bool | None:
        """Whether the candidate is shown to rank worse; None where either was not evaluated under these labels."""
        return None if self.direction is None else self.direction < 0


def compare(session: Session, candidate_id: int, label_set_sha256: str, ranking: str) -> Comparison:
    """The latest test evaluations of the proposing version and of a candidate under one label set."""
    serving = db.registry.encoder_in_use(session)
    before, after = (
        db.evaluation.latest_evaluation(session, version_id, ranking, Split.TEST, label_set_sha256)
        if version_id
        else None
        for version_id in (serving.id if serving else None, candidate_id)
    )
    return comparison(session, before, after)


def comparison(session: Session, before: Evaluation | None, after: Evaluation | None) -> Comparison:
    """Two evaluations compared, of any rankings. One from before further sentences were judged, or the topic,
    document labels or what teaches changed, does not count."""
    before, after = (found if found and measured_as_now(session, found) else None for found in (before, after))
    if before is None or after is None:
        return Comparison(before, after)
    one, other = _by_article(session, before), _by_article(session, after)
    values = {
        measure: {
            number: (one[measure][number], found[number]) for number in sorted(one[measure].keys() & found.keys())
        }
        for measure, found in other.items()
        if measure in one
    }
    # Evaluations of earlier releases do not say which articles are fair.
    fair = set(before.metrics.get("fair_articles", ())) & set(after.metrics.get("fair_articles", ()))
    tries = db.evaluation.tried_against(session, before.version_id, after.version_id)
    return Comparison(before, after, values, frozenset(fair & values["arp"].keys()), tries)


def _by_article(session: Session, found: Evaluation) -> dict[str, dict[int, float]]:
    """The measures of each article; of an evaluation of an earlier release the R-precision."""
    kept = found.metrics.get("by_article")
    if kept is None:
        scores = db.evaluation.article_scores(session, found.id)
        return {"arp": {article.id: score.r_precision for score, article in scores}}
    return {measure: dict(zip(kept["article_id"], kept[measure], strict=True)) for measure in COMPARED}


def on_shared_fair(found: Mapping[str, Any], group: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What an evaluation is worth on the `articles` that are fair to a whole group of them, itself among it.

    Takes stored metrics. Empty where no article is, or where an evaluation of an earlier release does not tell.
    """
    if not all("by_article" in one for one in group):
        return {}
    fair, kept = set.intersection(*(set(one["fair_articles"]) for one in group)), found["by_article"]
    places = [place for place, number in enumerate(kept["article_id"]) if number in fair]
    if not places:
        return {}
    means = {name: mean_interval([kept[name][place] for place in places]) for name in COMPARED}
    arp, without = (
        {"arp": means[name].value, "arp_low": means[name].low, "arp_high": means[name].high}
        for name in ("arp", "arp_without")
    )
    others = {name: mean.value for name, mean in means.items() if name not in ("arp", "arp_without")}
    return {"articles": len(places), **arp, **others, "without_document_labels": without}


def measured_as_now(session: Session, found: Evaluation) -> bool:
    """Whether an evaluation's articles have the same judged sentences and are ranked by the same (`ranked_by`) then and
    now; an evaluation of an earlier release does not tell, and counts as such."""
    judged, ranked = found.metrics.get("judged_sha256"), found.metrics.get("ranked_by_sha256")
    if judged is None:
        return True
    article_ids = [article.id for _, article in db.evaluation.article_scores(session, found.id)]
    if ranked is not None and ranked_by(session, article_ids) != ranked:
        return False
    return bool(judged_of(session, article_ids).sha256 == judged)


def ranked_by(session: Session, article_ids: Sequence[int]) -> str:
    """The hash of what ranks these articles next to a version: the topic's rules, their document labels, and under a
    topic by examples the verdicts and the sample that teach."""
    labels = labels_of(session, article_ids)
    terms = [[number, repr(terms_of(labels[number]))] for number in sorted(article_ids)]
    rules = topic_now(session).rules
    taught = [taught_mark(session)] if rules.examples.weight else []
    return hashlib.sha256(json.dumps([rules.name, terms, *taught]).encode()).hexdigest()


def evaluated_before(session: Session, version_id: int, ranking: str) -> bool:
    """Whether a version has test numbers, on any labels."""
    return db.evaluation.latest_evaluation(session, version_id, ranking, Split.TEST) is not None
