"""Gold: the labels, one row a sentence, made by a rule from what annotators said and adjudicators decided."""

import hashlib
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

import db.articles
import db.gold
import db.heads
import db.verdicts
from annotate.gold_rules import LABEL_NAMES, RULES, Rule, resolve
from annotate.home import database
from annotate.labels import Labels, labels_of, terms_of
from annotate.verdicts import Value
from db import tables
from db.engine import Address
from model.terms import TermKind, find_terms

# Articles are read again one by one below this number, and rows are: both below SQLite's limit on variables.
CHUNK_ARTICLES = db.gold.CHUNK


@dataclass(frozen=True, slots=True)
class GoldRow:
    """One labelled sentence as it is exported. `label` is 1 (key), 0 (not key), unsure or disputed.

    `verdicts` are those of annotators; `decided_by` is the adjudicator whose decision the label is, if any.
    """

    pmid: str
    pmcid: str
    doi: str
    title: str
    section: str
    sentence_index: int
    paragraph_start: int
    paragraph_end: int
    sentence: str
    label: str
    origin: str
    rank: str
    cosine: str
    ranking: str
    model_version: str
    annotators: str
    verdicts: str
    read_in_full_by: str
    genes: str
    cells: str
    edit: str
    time: str
    comment: str
    decided_by: str


COLUMNS = tuple(GoldRow.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class LabelSet:
    """All that evaluation and training take from the labels.

    `labels` is {article id: {sentence position: 1 or 0}}, unsure and disputed sentences left out; `read` holds the
    articles that somebody read in full; `sha256` covers both, `split_sha256` the labels of each split alone, on which
    evaluations depend. Equal label sets have equal hashes, in any database.
    """

    labels: dict[int, dict[int, int]]
    read: frozenset[int]
    sha256: str
    split_sha256: dict[str, str]


@dataclass(frozen=True, slots=True)
class Basis:
    """By which rule gold is made, for the rule `single` of whom, and the last rows that count (None: all)."""

    rule: Rule = Rule.MAJORITY
    annotator: str | None = None
    until_verdict: int | None = None
    until_reading: int | None = None


LIVE = Basis()


@dataclass(frozen=True, slots=True)
class Judged:
    """A sentence of which something was said. `given` are annotators' verdicts, oldest first, as rows of db.gold.said;
    `label` is None where the rule leaves the sentence out."""

    article_id: int
    sentence_id: int
    position: int
    label: str | None
    given: tuple[Any, ...]
    decision: Any | None

    @property
    def shown(self) -> Any:
        """The verdict that tells how the sentence came up: the last that agrees with the label."""
        agreeing = [row for row in self.given if LABEL_NAMES[Value(row.value)] == self.label]
        return (agreeing or ([self.decision] if self.decision else self.given))[-1]


def judged(session: Session, basis: Basis = LIVE, article_ids: Collection[int] | None = None) -> list[Judged]:
    """All sentences of which something counts under the rule, by article and position; of some articles or all."""
    given: dict[tuple[int, int], list[Any]] = defaultdict(list)
    for row in db.gold.said(session, until=basis.until_verdict, article_ids=article_ids):
        if basis.annotator is None or (row.name == basis.annotator and row.role == tables.ANNOTATOR):
            given[row.article_id, row.position].append(row)
    rule = RULES[basis.rule]
    found = []
    for (article_id, position), rows in sorted(given.items()):
        verdicts = tuple(row for row in rows if row.role == tables.ANNOTATOR)
        decision = next((row for row in rows if row.role == tables.ADJUDICATOR), None)
        label = rule([row.value for row in verdicts], decision.value if decision else None)
        found.append(Judged(article_id, rows[0].sentence_id, position, label, verdicts, decision))
    return found


def read_in_full(session: Session, basis: Basis = LIVE) -> list[tuple[int, str]]:
    """(article id, annotator) of every article that was read in full, as far as the basis counts it."""
    found = db.verdicts.read_in_full(session, until=basis.until_reading)
    return [(article_id, name) for article_id, name in found if basis.annotator in (None, name)]


def current_label_set(
    session: Session, *, until_verdict: int | None = None, until_reading: int | None = None
) -> LabelSet:
    """The label set as of now, or as it was when these were the last verdict and the last reading."""
    labels = labels_from(db.verdicts.current_values(session, until=until_verdict))
    return label_set(session, labels, Basis(until_reading=until_reading))


class Line(NamedTuple):
    """What the counts and the lists of the gold need of a sentence; `annotators` as in GoldRow."""

    sentence_id: int
    position: int
    label: str
    origin: str
    annotators: str


@dataclass(frozen=True, slots=True)
class LiveGold:
    """The gold as of now: the lines of each article by position, the label set, and the basis that pins both."""

    lines: dict[int, tuple[Line, ...]]
    label_set: LabelSet
    basis: Basis


def labels_now(session: Session) -> LabelSet:
    """The label set as of now, remembered as `live_gold` is."""
    return live_gold(session).label_set


def live_gold(session: Session) -> LiveGold:
    """The gold as of now, remembered from call to call: of 100,000 verdicts, some 2 s once and 2 ms again, 0.3 s
    after new verdicts. For sessions that only read: what is not committed yet must not be remembered."""
    memo = _memo(database())
    events = db.verdicts.last_events(session)
    mark = (events["until_verdict"], events["until_reading"], *db.articles.text_mark(session))
    kept, found = memo.get("now", ((0,), None))
    if found is not None and kept == mark:
        return found
    # A snapshot from before what is remembered is read in full.
    newly = db.heads.touched(session, kept[0], events["until_reading"]) if found and kept[0] <= mark[0] else None
    if found is None or newly is None or len(newly) > CHUNK_ARTICLES:
        lines = _lines(judged(session))
    else:
        lines = {number: given for number, given in found.lines.items() if number not in newly}
        lines = dict(sorted((lines | _lines(judged(session, article_ids=newly))).items()))
    labels = labels_of_sentences(
        (number, line.position, line.label) for number, given in lines.items() for line in given
    )
    made = LiveGold(lines, label_set(session, labels), Basis(**events))
    memo["now"] = mark, made
    return made


@lru_cache(maxsize=8)
def _memo(address: Address) -> dict[str, tuple[tuple[int, ...], LiveGold]]:
    return {}


def _lines(sentences: Iterable[Judged]) -> dict[int, tuple[Line, ...]]:
    lines: dict[int, list[Line]] = defaultdict(list)
    for one in sentences:
        if one.label is not None:
            annotators = sys.intern("; ".join(row.name for row in one.given))
            line = Line(one.sentence_id, one.position, one.label, one.shown.origin, annotators)
            lines[one.article_id].append(line)
    return {article_id: tuple(given) for article_id, given in lines.items()}


def labels_from(verdicts: Iterable[tuple[int, int, str]]) -> dict[int, dict[int, int]]:
    """{article id: {sentence position: 1 or 0}} from (article id, position, value) of everybody, by id and position."""
    values: dict[tuple[int, int], list[str]] = defaultdict(list)
    for article_id, position, value in verdicts:
        values[article_id, position].append(value)
    return labels_of_sentences((*place, resolve(given)) for place, given in sorted(values.items()))


def labels_of_sentences(sentences: Iterable[tuple[int, int, str | None]]) -> dict[int, dict[int, int]]:
    """{article id: {sentence position: 1 or 0}} of (article id, position, label), in that order; the rest left out."""
    labels: dict[int, dict[int, int]] = defaultdict(dict)
    for article_id, position, label in sentences:
        if label in ("0", "1"):
            labels[article_id][position] = int(label)
    return dict(labels)


def label_set(session: Session, labels: dict[int, dict[int, int]], basis: Basis = LIVE) -> LabelSet:
    """The label set of these labels and of the articles read in full."""
    read = frozenset(article_id for article_id, _ in read_in_full(session, basis))
    known = db.articles.keys_and_splits(session)
    described = sorted([known[article_id][0], sorted(pairs.items())] for article_id, pairs in labels.items())
    split_of = dict(known.values())
    by_split = {
        split: _sha256([entry for entry in described if split_of[entry[0]] == split]) for split in db.articles.SPLITS
    }
    everything = _sha256([described, sorted(known[article_id][0] for article_id in read)])
    return LabelSet(labels, read, everything, by_split | {db.articles.ALL: _sha256(described)})


def _sha256(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


def gold_rows(session: Session, basis: Basis = LIVE) -> list[GoldRow]:
    """All labelled sentences, by article and position."""
    return list(rows_of(session, judged(session, basis), basis))


def rows_of(session: Session, sentences: Iterable[Judged], basis: Basis = LIVE) -> Iterator[GoldRow]:
    """The rows of these sentences in the same order; those without a label have none."""
    labelled = (one for one in sentences if one.label is not None)
    while chunk := list(islice(labelled, db.gold.CHUNK)):
        article_ids = sorted({one.article_id for one in chunk})
        articles = db.gold.articles(session, article_ids)
        texts = db.gold.texts(session, [one.sentence_id for one in chunk])
        labels = labels_of(session, article_ids)
        comments = db.gold.sentence_comments(session, article_ids, basis.annotator)
        readers = db.gold.readers(session, article_ids, until=basis.until_reading)
        for one in chunk:
            yield _row(
                articles[one.article_id],
                texts[one.sentence_id],
                one,
                labels=labels[one.article_id],
                comments=comments.get(one.sentence_id, ()),
                readers=[name for name in readers.get(one.article_id, ()) if basis.annotator in (None, name)],
            )


def _row(
    article: tables.Article,
    sentence: db.articles.SentenceText,
    judged: Judged,
    *,
    labels: Labels,
    comments: Sequence[tuple[str, str]],
    readers: Sequence[str],
) -> GoldRow:
    shown, decision = judged.shown, judged.decision
    genes, cells, edit = mentioned(shown, sentence.text, labels)
    return GoldRow(
        pmid=article.pmid or "",
        pmcid=article.pmcid or "",
        doi=article.doi or "",
        title=article.title,
        section=sentence.section,
        sentence_index=sentence.position,
        paragraph_start=sentence.start,
        paragraph_end=sentence.end,
        sentence=sentence.text,
        label=judged.label or "",
        origin=shown.origin,
        rank="" if shown.rank is None else str(shown.rank),
        cosine="" if shown.cosine is None else repr(shown.cosine),
        ranking=shown.ranking or "",
        model_version=shown.version or "",
        annotators="; ".join(row.name for row in judged.given),
        verdicts="; ".join(f"{row.name}: {row.value}" for row in judged.given),
        read_in_full_by="; ".join(readers),
        genes=genes,
        cells=cells,
        edit=edit,
        time=decision.given_at if decision else shown.given_at,
        comment="\n".join(f"{name}: {text}" for name, text in comments),
        decided_by=decision.name if decision else "",
    )


def mentioned(verdict: Any, text: str, labels: Labels) -> tuple[str, str, str]:
    """Genes, cells and edit of a row: as imported with the verdict, else the document's labels that the sentence
    names."""
    if verdict.genes is not None or verdict.cells is not None or verdict.edit is not None:
        return verdict.genes or "", verdict.cells or "", verdict.edit or ""
    found = []
    for kind, names in ((TermKind.GENE, labels.genes), (TermKind.CELL, labels.cells)):
        named = []
        for name, synonyms in names.items():
            only = Labels(**{f"{kind}s": {name: synonyms}})
            if any(span.kind == kind for span in find_terms(text, terms_of(only))):
                named.append(name)
        found.append(";".join(named))
    edit = ";".join(labels.edits) if verdict.value == Value.ACCEPT and any(found) else ""
    return found[0], found[1], edit


def manifest(
    session: Session, rows: Sequence[GoldRow], basis: Basis = LIVE, sha256: str | None = None
) -> dict[str, Any]:
    """Counts that must equal the screen's: rows by label, origin and annotator, and the label set's hash, if known.

    `read_in_full` also names the articles that were read in full without a labelled sentence, which have no row.
    """
    until = {"until_verdict": basis.until_verdict, "until_reading": basis.until_reading}
    articles = len({row.pmid or row.pmcid or row.doi or row.title for row in rows})
    return _counts(rows, articles) | _of_all(session, basis, sha256 or current_label_set(session, **until).sha256)


def live_manifest(session: Session, live: LiveGold) -> dict[str, Any]:
    """The same of the gold as of now, without making its rows."""
    lines = [line for given in live.lines.values() for line in given]
    return _counts(lines, len(live.lines)) | _of_all(session, live.basis, live.label_set.sha256)


def _counts(rows: Sequence[GoldRow] | Sequence[Line], articles: int) -> dict[str, Any]:
    groups = Counter(row.annotators for row in rows)
    annotators: Counter[str] = Counter()
    for names, count in groups.items():
        annotators.update(dict.fromkeys(names.split("; ") if names else (), count))
    return {
        "rows": len(rows),
        "articles": articles,
        "by_label": dict(sorted(Counter(row.label for row in rows).items())),
        "by_origin": dict(sorted(Counter(row.origin for row in rows).items())),
        "by_annotator": dict(sorted(annotators.items())),
    }


def _of_all(session: Session, basis: Basis, sha256: str) -> dict[str, Any]:
    known = db.articles.keys_and_splits(session)
    return {
        "read_in_full": [[known[article_id][0], name] for article_id, name in read_in_full(session, basis)],
        "label_set_sha256": sha256,
    }
