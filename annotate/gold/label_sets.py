"""Gold: the labels, one row a sentence, made by a rule from annotators' verdicts and adjudicators' decisions.

A new rule is a function and its line in Rule.
"""

import hashlib
import json
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, Self

from sqlalchemy.orm import Session

import db.articles
import db.gold
import db.review.verdicts
import db.team.agreement
from annotate.project.memory import Memory
from annotate.review.sentence_labels import given_to
from db.values import PICKED, Value, VerdictRole
from model.proposing.rules import Rules

LABEL_NAMES = {Value.ACCEPT: "1", Value.REJECT: "0", Value.UNSURE: "unsure"}
DISPUTED = "disputed"
# How many must agree where no adjudicator decided.
WITNESSES = 2


def resolve(values: Iterable[str]) -> str:
    """The label of a sentence from its annotators' verdicts: the majority of accept and reject.

    A tie is "disputed"; only unsure verdicts make "unsure".
    """
    given = tuple(values)
    accepted, rejected = given.count(Value.ACCEPT), given.count(Value.REJECT)
    if accepted == rejected:
        return DISPUTED if accepted else LABEL_NAMES[Value.UNSURE]
    return LABEL_NAMES[Value.ACCEPT if accepted > rejected else Value.REJECT]


def majority(values: Collection[str], decision: str | None) -> str:
    """What an adjudicator decided, else the majority of accept and reject."""
    return LABEL_NAMES[Value(decision)] if decision else resolve(values)


def adjudicated(values: Collection[str], decision: str | None) -> str | None:
    """What an adjudicator decided, else what all annotators say, of whom there must be two; None for the rest.

    Two who are both unsure have decided nothing.
    """
    if decision:
        return LABEL_NAMES[Value(decision)]
    agreed = len(values) >= WITNESSES and len(set(values)) == 1 and Value.UNSURE not in values
    return resolve(values) if agreed else None


def single(values: Collection[str], decision: str | None) -> str | None:
    """What the one annotator says whose verdicts alone are given; None where that is nothing."""
    return resolve(values) if values else None


Label = Callable[[Sequence[str], str | None], str | None]
_MAJORITY = "What an adjudicator decided, else the majority of accept and reject; a tie is disputed."
_ADJUDICATED = (
    "What an adjudicator decided, or what all of at least two annotators say. The rest is left out as undecided."
)
_SINGLE = "Only the verdicts of one annotator."


class Rule(StrEnum):
    """How gold is made of verdicts: by name, the function that labels a sentence, and what it does in words."""

    label: Label
    words: str

    def __new__(cls, name: str, *given: Any) -> Self:
        """A string enum member that also holds its function and words. A look-up by the name, Rule("single"),
        never comes here."""
        rule = str.__new__(cls, name)
        rule._value_, (rule.label, rule.words) = name, given
        return rule

    MAJORITY = "majority", majority, _MAJORITY
    ADJUDICATED = "adjudicated", adjudicated, _ADJUDICATED
    SINGLE = "single", single, _SINGLE


def check_rule(rule: str, annotator: str | None) -> Rule:
    """The rule of this name. Raises ValueError for an unknown one, and where an annotator lacks or is in vain."""
    if rule not in set(Rule):
        raise ValueError(f"rule is {rule!r}; it must be one of {', '.join(Rule)}")
    if (rule == Rule.SINGLE) != bool(annotator):
        raise ValueError("the rule single needs the name of one annotator, and no other rule takes one")
    return Rule(rule)


# Articles are read again one by one below this number, and rows are: both below SQLite's limit on variables.
CHUNK_ARTICLES = db.gold.CHUNK
# The labels that a label set takes; the others are left out of it.
KEY: dict[str, int] = {"1": 1, "0": 0}


@dataclass(frozen=True, slots=True)
class LabelSet:
    """All that evaluation and training take from the labels.

    `labels` is {article id: {sentence position: 1 or 0}}, unsure and disputed sentences left out; `read` holds the
    articles that somebody read in full; `sha256` covers both, `split_sha256` the labels of each split alone, on which
    evaluations depend. Equal label sets have equal hashes, in any database. `until_verdict` is the last verdict that it
    knows. `picked` are articles of which only picked sentences were judged: single ones of all articles, chosen by
    their probability. Such labels count as others do, but nothing can be measured on their articles.
    """

    labels: dict[int, dict[int, int]]
    read: frozenset[int]
    sha256: str
    split_sha256: dict[str, str]
    until_verdict: int = field(compare=False)
    picked: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Basis:
    """The rule of gold, whose for `single`, the last rows that count, and the articles (None: all)."""

    rule: Rule = Rule.MAJORITY
    annotator: str | None = None
    until_verdict: int | None = None
    until_reading: int | None = None
    articles: frozenset[int] | None = None


LIVE = Basis()


@dataclass(frozen=True, slots=True)
class Judged:
    """A sentence of which something was said. `given` are annotators' verdicts, oldest first, as rows of
    db.gold.verdict_rows; `label` is None where the rule leaves the sentence out."""

    article_id: int
    sentence_id: int
    position: int
    label: str | None
    given: tuple[Any, ...]
    decision: Any | None

    @property
    def shown(self) -> Any:
        """The verdict that tells how the sentence came up: the last that agrees with the label."""
        return self._that_stand[-1]

    def labelled(self, rules: Rules) -> Any:
        """The verdict whose labels of the sentence count: the last that agrees and says some, else as `shown`."""
        return next((row for row in reversed(self._that_stand) if given_to(row, rules) is not None), self.shown)

    @property
    def picked(self) -> bool:
        """Whether the sentence was judged without its article by all who judged it."""
        return self.decision is None and all(row.ranking == PICKED for row in self.given)

    @property
    def _that_stand(self) -> Sequence[Any]:
        agreeing = [row for row in self.given if LABEL_NAMES[row.value] == self.label]
        return agreeing or ([self.decision] if self.decision else self.given)


def judged(session: Session, basis: Basis = LIVE, article_ids: Collection[int] | None = None) -> list[Judged]:
    """All sentences of which something counts under the rule, by article and position; of some articles or all."""
    given: dict[tuple[int, int], list[Any]] = defaultdict(list)
    only = basis.articles
    if article_ids is None and only is not None and len(only) <= CHUNK_ARTICLES:
        article_ids = only
    for row in db.gold.verdict_rows(session, until=basis.until_verdict, article_ids=article_ids):
        if only is not None and row.article_id not in only:
            continue
        if basis.annotator is None or (row.name == basis.annotator and row.role == VerdictRole.ANNOTATOR):
            given[row.article_id, row.position].append(row)
    found = []
    for (article_id, position), rows in sorted(given.items()):
        verdicts, decision = tuple(rows), None
        if any(row.role == VerdictRole.ADJUDICATOR for row in rows):
            verdicts = tuple(row for row in rows if row.role == VerdictRole.ANNOTATOR)
            decision = next(row for row in rows if row.role == VerdictRole.ADJUDICATOR)
        label = basis.rule.label([row.value for row in verdicts], decision.value if decision else None)
        found.append(Judged(article_id, rows[0].sentence_id, position, label, verdicts, decision))
    return found


def read_in_full(session: Session, basis: Basis = LIVE) -> list[tuple[int, str]]:
    """(article id, annotator) of every article that was read in full, if the basis counts it."""
    found = db.review.verdicts.read_in_full(session, until=basis.until_reading)
    found = [(article_id, name) for article_id, name in found if basis.annotator in (None, name)]
    return [pair for pair in found if basis.articles is None or pair[0] in basis.articles]


def current_label_set(
    session: Session, *, until_verdict: int | None = None, until_reading: int | None = None
) -> LabelSet:
    """The label set as of now, or as it was when these were the last verdict and the last reading."""
    if until_verdict is None:
        until_verdict = db.review.verdicts.last_events(session)["until_verdict"]
    basis = Basis(until_verdict=until_verdict, until_reading=until_reading)
    return label_set(session, lines_of(judged(session, basis)), basis)


class Line(NamedTuple):
    """What the counts and the lists of the gold need of a sentence; `annotators` as in GoldRow."""

    sentence_id: int
    position: int
    label: str
    origin: str
    annotators: str
    picked: bool


Lines = dict[int, tuple[Line, ...]]  # by article, in the order of their positions


@dataclass(frozen=True, slots=True)
class LiveGold:
    """The gold as of now: the lines, the label set, and the basis that pins both."""

    lines: Lines
    label_set: LabelSet
    basis: Basis


# "now": what it was made of, and the gold.
_gold: Memory[str, tuple[tuple[Any, ...], LiveGold]] = Memory()
_making = threading.RLock()


def labels_now(session: Session) -> LabelSet:
    """The label set as of now, remembered as `live_gold` is."""
    return live_gold(session).label_set


def live_gold(session: Session) -> LiveGold:
    """The gold as of now, remembered from call to call: of 100,000 verdicts, some 2 s once and 2 ms again, 0.3 s
    after new verdicts. For sessions that only read: what is not committed yet must not be remembered."""
    memo = _gold.here()
    events = db.review.verdicts.last_events(session)
    names = tuple(db.team.agreement.names(session).items())
    mark = (*events.values(), *db.articles.text_mark(session), names)
    kept, found = memo.get("now", ((0,), None))
    if found is not None and kept == mark:
        return found
    with _making:  # others that ask meanwhile, such as the first visitor, take the set made here
        return _made(session, mark, events)


def _made(session: Session, mark: tuple[Any, ...], events: dict[str, int]) -> LiveGold:
    memo = _gold.here()
    kept, found = memo.get("now", ((0,), None))
    if found is not None and kept == mark:
        return found
    # A snapshot from before the remembered set is read in full.
    newly = None
    if found and kept[0] <= mark[0] and kept[2] <= mark[2] and kept[-1] == mark[-1]:  # the same people, too
        newly = db.review.verdicts.touched(session, kept[0], events["until_reading"], kept[2])
    if found is None or newly is None or len(newly) > CHUNK_ARTICLES:
        lines = lines_of(judged(session))
    else:
        lines = {number: given for number, given in found.lines.items() if number not in newly}
        lines = dict(sorted((lines | lines_of(judged(session, article_ids=newly))).items()))
    basis = Basis(until_verdict=events["until_verdict"], until_reading=events["until_reading"])
    made = LiveGold(lines, label_set(session, lines, basis), basis)
    memo["now"] = mark, made
    return made


def lines_of(sentences: Iterable[Judged]) -> Lines:
    """The lines of these sentences, in their order; sentences without a label have none."""
    lines: dict[int, list[Line]] = defaultdict(list)
    for one in sentences:
        if one.label is not None:
            annotators = sys.intern("; ".join(row.name for row in one.given))
            line = Line(one.sentence_id, one.position, one.label, one.shown.origin, annotators, one.picked)
            lines[one.article_id].append(line)
    return {article_id: tuple(given) for article_id, given in lines.items()}


def labels_of(lines: Lines) -> dict[int, dict[int, int]]:
    """{article id: {sentence position: 1 or 0}}; unsure and disputed sentences are left out."""
    labels = {
        article_id: {line.position: KEY[line.label] for line in given if line.label in KEY}
        for article_id, given in lines.items()
    }
    return {article_id: given for article_id, given in labels.items() if given}


def picked_in(lines: Lines) -> set[int]:
    """The articles of which only picked sentences were judged."""
    return {article_id for article_id, given in lines.items() if all(line.picked for line in given)}


def label_set(session: Session, lines: Lines, basis: Basis = LIVE) -> LabelSet:
    """The label set of these lines and of the articles read in full."""
    labels = labels_of(lines)
    read = frozenset(article_id for article_id, _ in read_in_full(session, basis))
    unread = frozenset(picked_in(lines)) - read
    known = db.articles.keys_and_splits(session)
    described = sorted((known[article_id][0], sorted(pairs.items())) for article_id, pairs in labels.items())
    left_out = {known[article_id][0] for article_id in unread}
    measured_on = [entry for entry in described if entry[0] not in left_out]
    split_of = dict(known.values())
    by_split = {
        split: _sha256([entry for entry in measured_on if split_of[entry[0]] == split]) for split in db.articles.SPLITS
    }
    everything = _sha256([described, sorted(known[article_id][0] for article_id in read)])
    by_split[db.articles.ALL] = _sha256(measured_on)
    return LabelSet(labels, read, everything, by_split, basis.until_verdict or 0, unread)


def _sha256(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()
