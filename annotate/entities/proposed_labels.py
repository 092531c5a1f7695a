"""Proposed document labels as a curator sees them, and what confirming one does."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import scipy
from sqlalchemy.orm import Session

import db.entities
import db.rows
from annotate.articles.document_labels import Labels, change_labels, labels_of, within_bounds
from annotate.project.home import write
from annotate.project.memory import Latest
from annotate.project.rights import Right
from annotate.topics.project_topic import topic_now
from annotate.topics.schema import KindEntry
from annotate.topics.vocabularies import kinds_by_proposed
from db.tables import DocumentLabel, LabelProposal
from model.evaluation.calibration import Platt, fit_platt
from model.names import caseless

LEAST = 0.05  # of a probability: less likely proposals are not offered
LEAST_SEEN = 20  # proposals that were confirmed, and as many that were not, before a kind's numbers are corrected
MOST_ARTICLES = 500  # the last ones labelled: two numbers are learnt, again after each label
SURE = 0.5  # a proposal below is offered, but not among those that are confirmed together


class NoSuchProposal(LookupError):
    """The proposal is there no more: entities were recognised again since the page was drawn."""


@dataclass(frozen=True, slots=True)
class Offered:
    """One proposal that is no label yet. `label` is the topic's kind that it is for, `noun` what the topic calls it,
    `sentences` are positions.

    The probability is one that confirmed labels bear out where it is `calibrated`; elsewhere it orders.
    """

    id: int
    kind: str
    label: str
    noun: str
    name: str
    identifiers: tuple[str, ...]
    probability: float
    sentences: tuple[int, ...]
    calibrated: bool = False


def offered(session: Session, article_id: int) -> list[Offered]:
    """The unconfirmed proposals, in the order of the topic's kinds: no choice where the article has one."""
    labels, topic = labels_of(session, [article_id])[article_id], topic_now(session)
    kinds = kinds_by_proposed(topic)
    rows = [
        row
        for row in db.entities.label_proposals(session, article_id)
        if row.kind in kinds and row.probability >= LEAST and _is_new(row, labels, kinds[row.kind])
    ]
    mark = [db.rows.last_id(session, table) for table in (DocumentLabel, LabelProposal)]
    fits = _learnt.at(mark, lambda: _fits(session)) if rows else {}
    found = []
    for row in rows:
        kind, fit = kinds[row.kind], fits.get(row.kind)
        probability = float(fit.probability([_log_odds(row)])[0]) if fit else row.probability
        names = row.id, row.kind, kind.key, kind.name, row.name, tuple(row.identifiers)
        found.append(Offered(*names, probability, tuple(row.sentences), calibrated=fit is not None))
    return sorted(found, key=lambda one: topic.keys.index(one.label))


_learnt: Latest[dict[str, Platt]] = Latest()


def _fits(session: Session) -> dict[str, Platt]:
    """By kind, what makes the numbers of proposals probabilities: learnt from the articles that have labels of that
    kind, by whether a proposal is among them. Kinds of which too little is known have none."""
    rows = db.entities.proposals_of_labelled(session, MOST_ARTICLES)
    labels, kinds = labels_of(session, sorted({row.article_id for row in rows})), kinds_by_proposed(topic_now(session))
    seen: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for row in rows:
        own, wanted = labels[row.article_id], kinds.get(row.kind)
        if wanted and (named := own.of(wanted.key)):
            confirmed = row.name in named if wanted.choices else not _is_new(row, own, wanted)
            seen[row.kind].append((_log_odds(row), confirmed))
    fits = {}
    for kind, pairs in seen.items():
        of_each = Counter(confirmed for _, confirmed in pairs)
        if min(of_each[True], of_each[False]) >= LEAST_SEEN:
            fits[kind] = fit_platt([odds for odds, _ in pairs], [confirmed for _, confirmed in pairs])
    return fits


def _log_odds(row: LabelProposal) -> float:
    return float(scipy.special.logit(min(max(row.probability, 0.001), 0.999)))  # a share of all is no certainty


def _is_new(row: LabelProposal, labels: Labels, kind: KindEntry) -> bool:
    named = labels.of(kind.key)
    if kind.choices:
        return not named and row.name in (choice.key for choice in kind.choices)
    names = {caseless(name) for first, more in named.items() for name in (first, *more)}
    known = {identifier for name in named for identifier in labels.identifiers.get(name, ())}
    return caseless(row.name) not in names and not known & set(row.identifiers)


def sure_ones(proposals: Sequence[Offered], labels: Labels) -> list[int]:
    """The proposals that are confirmed together: of each kind without a label the likeliest, if it is likely."""
    taken = set(labels.by_kind)
    found = []
    for proposal in proposals:
        if proposal.label not in taken and proposal.probability >= SURE:
            taken.add(proposal.label)
            found.append(proposal.id)
    return found


def confirm(article_id: int, proposals: list[int]) -> Labels:
    """Makes proposals labels, in the name of the person who is acting; returns the labels of the article.

    Raises NoSuchProposal where one of them is gone, ValueError where the article would have too many names.
    """
    with write(Right.LABEL) as session:
        kinds = kinds_by_proposed(topic_now(session))
        rows = {row.id: row for row in db.entities.label_proposals(session, article_id) if row.kind in kinds}
        if missing := [number for number in proposals if number not in rows]:
            raise NoSuchProposal(f"{len(missing)} of the proposals are there no more: open the article again")
        labels = labels_of(session, [article_id])[article_id]
        for number in proposals:
            row, kind = rows[number], kinds[rows[number].kind]
            named = {kind.key: {row.name: () if kind.choices else tuple(row.synonyms)}}
            labels = labels.merged(Labels(named, {} if kind.choices else {row.name: tuple(row.identifiers)}))
        change_labels(session, {article_id: within_bounds(labels)})
        return labels
