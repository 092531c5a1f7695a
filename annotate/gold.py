"""Gold: the current labels, one row a sentence, resolved from everybody's latest verdicts."""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy.orm import Session

import db.articles
import db.heads
import db.verdicts
from annotate.home import database
from annotate.labels import Labels, labels_of, terms_of
from annotate.verdicts import Value
from db import tables
from db.engine import Address
from model.terms import TermKind, find_terms

LABEL_NAMES = {Value.ACCEPT: "1", Value.REJECT: "0", Value.UNSURE: "unsure"}
DISPUTED = "disputed"
# Rows are read in chunks below SQLite's limit on the variables of one statement.
CHUNK_ARTICLES = 500


@dataclass(frozen=True, slots=True)
class GoldRow:
    """One labelled sentence as it is exported. `label` is 1 (key), 0 (not key), unsure or disputed."""

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


COLUMNS = tuple(GoldRow.__dataclass_fields__)


def resolve(values: Iterable[str]) -> str:
    """The label of a sentence from its annotators' verdicts: the majority of accept and reject.

    A tie is "disputed"; only unsure verdicts make "unsure".
    """
    counts = Counter(values)
    if counts[Value.ACCEPT] == counts[Value.REJECT]:
        return DISPUTED if counts[Value.ACCEPT] else LABEL_NAMES[Value.UNSURE]
    return LABEL_NAMES[max((Value.ACCEPT, Value.REJECT), key=lambda value: counts[value])]


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


def current_label_set(
    session: Session, *, until_verdict: int | None = None, until_reading: int | None = None
) -> LabelSet:
    """The label set as of now, or as it was when these were the last verdict and the last reading."""
    return _label_set(session, labels_from(db.verdicts.current_values(session, until=until_verdict)), until_reading)


def labels_now(session: Session) -> LabelSet:
    """The label set as of now, remembered from call to call: of 100,000 verdicts, 1.5 s once and 2 ms again, 0.2 s
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
        made = current_label_set(session)
    else:
        labels = {number: given for number, given in found.labels.items() if number not in newly}
        labels |= labels_from(db.verdicts.current_values(session, article_ids=newly))
        made = _label_set(session, dict(sorted(labels.items())), None)
    memo["now"] = mark, made
    return made


@lru_cache(maxsize=8)
def _memo(address: Address) -> dict[str, tuple[tuple[int, ...], LabelSet]]:
    return {}


def labels_from(verdicts: Iterable[tuple[int, int, str]]) -> dict[int, dict[int, int]]:
    """{article id: {sentence position: 1 or 0}} from (article id, position, value) of everybody, by id and position."""
    values: dict[tuple[int, int], list[str]] = defaultdict(list)
    for article_id, position, value in verdicts:
        values[article_id, position].append(value)
    labels: dict[int, dict[int, int]] = defaultdict(dict)
    for (article_id, position), given in sorted(values.items()):
        if (label := resolve(given)) in ("0", "1"):
            labels[article_id][position] = int(label)
    return dict(labels)


def _label_set(session: Session, labels: dict[int, dict[int, int]], until_reading: int | None) -> LabelSet:
    read = frozenset(article_id for article_id, _ in db.verdicts.read_in_full(session, until=until_reading))
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


def gold_rows(session: Session) -> list[GoldRow]:
    """All labelled sentences, by article and position."""
    given: dict[int, dict[int, list[tuple[tables.Verdict, str]]]] = defaultdict(lambda: defaultdict(list))
    for verdict, name, _ in db.verdicts.current_verdicts(session):
        given[verdict.article_id][verdict.sentence_id].append((verdict, name))
    comments: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for comment, name in db.verdicts.current_comments(session):
        if comment.sentence_id is not None:
            comments[comment.sentence_id].append((name, comment.text))
    readers: dict[int, list[str]] = defaultdict(list)
    for article_id, name in db.verdicts.read_in_full(session):
        readers[article_id].append(name)
    rows: list[GoldRow] = []
    article_ids = sorted(given)
    for start in range(0, len(article_ids), CHUNK_ARTICLES):
        chunk = article_ids[start : start + CHUNK_ARTICLES]
        labels = labels_of(session, chunk)
        for sentence in db.articles.sentences(session, chunk):
            if verdicts := given[sentence.article_id].get(sentence.id):
                article = db.articles.article(session, sentence.article_id)
                assert article is not None
                rows.append(
                    _row(
                        article,
                        sentence,
                        verdicts,
                        labels=labels[article.id],
                        comments=comments[sentence.id],
                        readers=readers[article.id],
                    )
                )
    return rows


def _row(
    article: tables.Article,
    sentence: db.articles.SentenceText,
    verdicts: Sequence[tuple[tables.Verdict, str]],
    *,
    labels: Labels,
    comments: Sequence[tuple[str, str]],
    readers: Sequence[str],
) -> GoldRow:
    label = resolve(verdict.value for verdict, _ in verdicts)
    agreeing = [verdict for verdict, _ in verdicts if LABEL_NAMES.get(Value(verdict.value)) == label]
    shown = (agreeing or [verdict for verdict, _ in verdicts])[-1]
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
        label=label,
        origin=shown.origin,
        rank="" if shown.rank is None else str(shown.rank),
        cosine="" if shown.cosine is None else repr(shown.cosine),
        ranking=shown.ranking or "",
        model_version=shown.version or "",
        annotators="; ".join(name for _, name in verdicts),
        verdicts="; ".join(f"{name}: {verdict.value}" for verdict, name in verdicts),
        read_in_full_by="; ".join(readers),
        genes=genes,
        cells=cells,
        edit=edit,
        time=shown.given_at,
        comment="\n".join(f"{name}: {text}" for name, text in comments),
    )


def comment_rows(session: Session) -> list[dict[str, str]]:
    """All current comments, on sentences with or without a verdict and on articles: who, where, what."""
    found = db.verdicts.current_comments(session)
    texts = {
        sentence.id: sentence.text
        for sentence in db.articles.sentences(session, sorted({comment.article_id for comment, _ in found}))
    }
    rows = []
    for comment, name in found:
        article = db.articles.article(session, comment.article_id)
        assert article is not None
        sentence = texts.get(comment.sentence_id, "") if comment.sentence_id else "(the article)"
        rows.append({"annotator": name, "comment": comment.text, "sentence": sentence, "title": article.title})
    return rows


def mentioned(verdict: tables.Verdict, text: str, labels: Labels) -> tuple[str, str, str]:
    """Genes, cells and edit of a row: as imported, else the document's labels that the sentence names."""
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


def manifest(session: Session, rows: Sequence[GoldRow]) -> dict[str, Any]:
    """Counts that must equal the screen's: rows by label, origin and annotator, and the label set's hash.

    `read_in_full` also names the articles that were read in full without a labelled sentence, which have no row.
    """
    annotators = Counter(name for row in rows for name in row.annotators.split("; "))
    known = db.articles.keys_and_splits(session)
    identities = {row.pmid or row.pmcid or row.doi or row.title for row in rows}
    return {
        "rows": len(rows),
        "articles": len(identities),
        "by_label": dict(sorted(Counter(row.label for row in rows).items())),
        "by_origin": dict(sorted(Counter(row.origin for row in rows).items())),
        "by_annotator": dict(sorted(annotators.items())),
        "read_in_full": [[known[article_id][0], name] for article_id, name in db.verdicts.read_in_full(session)],
        "label_set_sha256": current_label_set(session).sha256,
    }
