"""Proposed document labels as a curator sees them, and what confirming one does."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import logit
from sqlalchemy.orm import Session

import db.entities
from annotate.articles.document_labels import Labels, change_labels, labels_of, within_bounds
from annotate.project.home import write
from annotate.project.memory import Memory
from annotate.project.rights import Right
from annotate.topics.file import Topic
from annotate.topics.project_topic import topic_now
from annotate.topics.schema import Slot
from db.tables import LabelProposal
from model.evaluation.calibration import Platt, fit_platt

LEAST = 0.05  # of a probability: what is less likely is not offered
# Kind of a proposal -> the column of document labels that it is for, and the vocabularies that its names are of.
_FOR = {
    "gene": (Slot.GENES, {"genes"}),
    "cell": (Slot.CELLS, {"cell_lines", "cell_types", "organisms"}),
    "edit": (Slot.EDIT, {"edits"}),
}
_ORDER = tuple(_FOR)
LEAST_SEEN = 20  # proposals that were confirmed, and as many that were not, before a kind's numbers are corrected
MOST_ARTICLES = 500  # those labelled last: two numbers are learnt, anew after each label
SURE = 0.5  # a proposal below is offered, but not among those that are confirmed together


class NoSuchProposal(LookupError):
    """The proposal is there no more: entities were recognised anew since the page was drawn."""


@dataclass(frozen=True, slots=True)
class Offered:
    """One proposal that is no label yet. `noun` is what the topic calls it, `sentences` are positions.

    The probability is one that confirmed labels bear out where it is `calibrated`; elsewhere it orders.
    """

    id: int
    kind: str
    noun: str
    name: str
    identifiers: tuple[str, ...]
    probability: float
    sentences: tuple[int, ...]
    calibrated: bool = False


def offered(session: Session, article_id: int) -> list[Offered]:
    """The proposals for an article that nobody confirmed, genes first, the likeliest first: those that the project's
    topic has a kind for, and no choice where the article has one."""
    labels, topic = labels_of(session, [article_id])[article_id], topic_now(session)
    nouns = {kind: _noun(topic, kind) for kind in _FOR}
    rows = [
        row
        for row in db.entities.label_proposals(session, article_id)
        if nouns[row.kind] and row.probability >= LEAST and _is_new(row, labels, topic)
    ]
    fits = _fits(session) if rows else {}
    found = [_offered(row, nouns[row.kind], fits.get(row.kind)) for row in rows]
    return sorted(found, key=lambda one: _ORDER.index(one.kind))


def _offered(row: LabelProposal, noun: str, fit: Platt | None) -> Offered:
    probability = float(fit.probability([_log_odds(row)])[0]) if fit else row.probability
    names = row.id, row.kind, noun, row.name, tuple(row.identifiers)
    return Offered(*names, probability, tuple(row.sentences), calibrated=fit is not None)


# "now": the last rows that they were made of, and by kind the fit.
_learnt: Memory[str, tuple[tuple[int, int], dict[str, Platt]]] = Memory()


def _fits(session: Session) -> dict[str, Platt]:
    """By kind, what makes the numbers of proposals probabilities: learnt from the articles that have labels of that
    kind, by whether a proposal is among them. Kinds of which too little is known have none."""
    memo, mark = _learnt.here(), db.entities.proposals_mark(session)
    kept, fits = memo.get("now", ((-1, -1), {}))
    if kept != mark:
        fits = _fit(session)
        memo["now"] = mark, fits
    return fits


def _fit(session: Session) -> dict[str, Platt]:
    rows = db.entities.proposals_of_labelled(session, MOST_ARTICLES)
    labels, topic = labels_of(session, sorted({row.article_id for row in rows})), topic_now(session)
    seen: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for row in rows:
        own = labels[row.article_id]
        if {"gene": own.genes, "cell": own.cells, "edit": own.edits}[row.kind]:
            confirmed = row.name in own.edits if row.kind == "edit" else not _is_new(row, own, topic)
            seen[row.kind].append((_log_odds(row), confirmed))
    fits = {}
    for kind, pairs in seen.items():
        of_each = Counter(confirmed for _, confirmed in pairs)
        if min(of_each[True], of_each[False]) >= LEAST_SEEN:
            fits[kind] = fit_platt([odds for odds, _ in pairs], [confirmed for _, confirmed in pairs])
    return fits


def _log_odds(row: LabelProposal) -> float:
    return float(logit(min(max(row.probability, 0.001), 0.999)))  # a share of all is no certainty


def _noun(topic: Topic, kind: str) -> str:
    """What the topic calls the names of this kind; "" where it wants none of its vocabularies."""
    slot, vocabularies = _FOR[kind]
    wanted = topic.kind_in(slot)
    return wanted.name if wanted and vocabularies & set(wanted.vocabularies) else ""


def _is_new(row: LabelProposal, labels: Labels, topic: Topic) -> bool:
    if row.kind == "edit":
        return row.name in (topic.choices or ()) and not labels.edits
    named = labels.genes if row.kind == "gene" else labels.cells
    names = {name.casefold() for first, more in named.items() for name in (first, *more)}
    known = {identifier for name in named for identifier in labels.identifiers.get(name, ())}
    return row.name.casefold() not in names and not known & set(row.identifiers)


def sure_ones(proposals: Sequence[Offered], labels: Labels) -> list[int]:
    """Those of the offered that are confirmed together: of each kind without a label the likeliest, if it is likely."""
    taken = {"gene": bool(labels.genes), "cell": bool(labels.cells), "edit": bool(labels.edits)}
    found = []
    for proposal in proposals:
        if not taken[proposal.kind] and proposal.probability >= SURE:
            taken[proposal.kind] = True
            found.append(proposal.id)
    return found


def confirm(article_id: int, proposals: list[int]) -> Labels:
    """Makes proposals labels, in the name of the person who is acting; returns the labels of the article.

    Raises NoSuchProposal where one of them is gone, ValueError where the article would have too many names.
    """
    with write(Right.LABEL) as session:
        rows = {row.id: row for row in db.entities.label_proposals(session, article_id)}
        if missing := [number for number in proposals if number not in rows]:
            raise NoSuchProposal(f"{len(missing)} of the proposals are there no more: open the article anew")
        labels = labels_of(session, [article_id])[article_id]
        for number in proposals:
            labels = labels.merged(_label_of(rows[number]))
        change_labels(session, {article_id: within_bounds(labels)})
        return labels


def _label_of(row: LabelProposal) -> Labels:
    if row.kind == "edit":
        return Labels(edits=(row.name,))
    names, identifiers = {row.name: tuple(row.synonyms)}, {row.name: tuple(row.identifiers)}
    if row.kind == "gene":
        return Labels(genes=names, identifiers=identifiers)
    return Labels(cells=names, identifiers=identifiers)
