"""Makes what tests start from: articles, verdicts, versions and embeddings in a test's own data folder."""

import json
import secrets
from collections.abc import Iterator, Sequence
from itertools import count, islice
from typing import Any

import numpy as np
from sqlalchemy import text
from sqlalchemy.orm import Session

import db.articles
import db.jobs
import db.proposing
import db.rows
from annotate.articles.article_rows import split_of
from annotate.articles.document import Article, Paragraph, Section, SectionKind
from annotate.articles.import_report import ImportReport
from annotate.articles.parsing import ParsedEntry
from annotate.project.home import folder, read, write
from annotate.project.rights import Right
from annotate.proposing.encoder_versions import register_encoder
from annotate.proposing.examples import sentences_of
from annotate.registry.kinds import KINDS
from annotate.registry.versions import register
from annotate.review.verdicts import record
from db import tables
from db.base import utc_now
from db.tables import ModelVersion, Promotion
from db.values import Kind
from model.files import manifest_of
from model.prompts import CONFIGURATION
from model.proposing.rules import Examples
from tests.support.ingesting import ingest

SENTENCES = ("The gene is known.", "Here we deleted TP53 in HeLa cells.", "The assay was measured.")


def paper(
    abstract: Sequence[str] = SENTENCES, body: Sequence[str] = (), *, pmid: str | None = None, **values: Any
) -> Article:
    """An article with one paragraph of abstract, and one of body where sentences for it are given."""
    sections = []
    if abstract:
        sections.append(Section("Abstract", SectionKind.ABSTRACT, (Paragraph(" ".join(abstract)),)))
    if body:
        sections.append(Section("Results", SectionKind.BODY, (Paragraph(" ".join(body)),)))
    return Article(**{"title": f"Article {pmid}", "pmid": pmid, "sections": tuple(sections), **values})


def store(*articles: Article) -> ImportReport:
    """Ingests the articles."""
    return ingest(ParsedEntry(f"file{number}.xml", article) for number, article in enumerate(articles))


def store_divided_work() -> None:
    """A work under two PMIDs, articles 1 of the test and 2 of the train split, as an earlier release stored it."""
    (test,), (train,) = pmids("test", 1), pmids("train", 1)
    store(*(paper(pmid=pmid, title="TP53 slows the growth of cells") for pmid in (test, train)))
    with write(Right.SYSTEM) as session:
        db.rows.change(session, tables.Article, 2, split="train")


def pmids_of(split: str) -> Iterator[str]:
    """PMIDs whose articles fall into a split."""
    return (str(number) for number in count(1000) if split_of(f"pmid:{number}") == split)


def pmids(split: str, number: int) -> list[str]:
    """That many of them."""
    return list(islice(pmids_of(split), number))


def verdict(position: Any, value: Any = "accept", **more: Any) -> dict[str, Any]:
    """A verdict event as the review page sends it."""
    return {"id": secrets.token_hex(16), "kind": "verdict", "sentence": position, "value": value, **more}


def comment(position: int | None, words: Any) -> dict[str, Any]:
    """A comment event."""
    return {"id": secrets.token_hex(16), "kind": "comment", "sentence": position, "value": words}


def reading(value: Any = True) -> dict[str, Any]:
    """The event of an article read in full."""
    return {"id": secrets.token_hex(16), "kind": "read", "value": value}


def judge(annotator: str, article_id: int, *events: dict[str, Any]) -> None:
    """Records events and checks that none was refused."""
    stored, refused = record(annotator, article_id, events)
    assert (len(stored), refused) == (len(events), [])


def query(sql: str, **values: Any) -> list[tuple[Any, ...]]:
    """Rows of the test's database."""
    with read() as session:
        return [tuple(row) for row in session.execute(text(sql), values)]


def contents(*tables: str) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of some tables, in order."""
    return {table: query(f"SELECT * FROM {table} ORDER BY 1, 2") for table in tables}


def version_without_weights(
    name: str, *, own_query: str | None = None, prompts: dict[str, str] | None = None, **values: Any
) -> ModelVersion:
    """A registered version of two dimensions whose weights are a few bytes: enough where no encoder is loaded.

    `values`: its other columns.
    """
    path = folder("models") / name
    path.mkdir()
    (path / "model.safetensors").write_bytes(name.encode())
    (path / "config.json").write_text(json.dumps({"hidden_size": 2}))
    if prompts is not None:
        (path / CONFIGURATION).write_text(json.dumps({"prompts": prompts}))
    with write(Right.SYSTEM) as session:
        return register_encoder(
            session, path, name=name, encoder="none", manifest=manifest_of(path), query=own_query, **values
        )


def version_of(kind: Kind, name: str) -> ModelVersion:
    """A registered version of a kind, of a few bytes: enough where nothing is loaded."""
    if kind is Kind.ENCODER:
        return version_without_weights(name)
    path = folder(KINDS[kind].within) / name
    path.mkdir()
    (path / "model.safetensors").write_bytes(name.encode())
    (path / "config.json").write_text("{}")
    with write(Right.SYSTEM) as session:
        return register(session, kind, path, name=name, manifest=KINDS[kind].manifest(path))


def propose_with(version: ModelVersion) -> None:
    """Makes a version the proposing one."""
    put_into_use(version)


def put_into_use(version: ModelVersion) -> None:
    """Lets a version serve its kind, whatever is said for it."""
    with write(Right.SYSTEM) as session:
        db.rows.add(session, Promotion(kind=version.kind, version_id=version.id, promoted_by="test", reason="test"))


def embed_examples(version: ModelVersion, examples: Examples) -> None:
    """Stores vectors for a topic's examples: all alike, so that their words alone tell."""
    vectors = dict.fromkeys(sentences_of(examples), np.float32([0, 1]).tobytes())
    with write(Right.SYSTEM) as session:
        db.proposing.store_query_vectors(session, version.id, vectors)


def store_cosines(version: ModelVersion, article_id: int, words: str, cosines: Sequence[float]) -> None:
    """Stores unit vectors of two dimensions whose cosines to that query are these."""
    vectors = np.array([[cosine, (1 - cosine**2) ** 0.5] for cosine in cosines]).astype(np.float16)
    row = {"version_id": version.id, "article_id": article_id, "sentence_count": len(cosines)}
    with write(Right.SYSTEM) as session:
        db.proposing.store_embeddings(session, [row | {"vectors": vectors.tobytes()}])
        db.proposing.store_query_vectors(session, version.id, {words: np.float32([1, 0]).tobytes()})


def store_proposed(number: int) -> ModelVersion:
    """That many articles of three sentences with two proposals each, the sentences 1 and 0; their ids are 1, 2, ..."""
    from annotate.proposing.propose import propose
    from model.proposing.ranking import Ranking
    from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES

    store(*(paper(pmid=str(pmid)) for pmid in range(1, number + 1)))
    version = version_without_weights("tiny")
    propose_with(version)
    for article_id in range(1, number + 1):
        store_cosines(version, article_id, GENERIC_QUERIES[BEST_GENERIC], (0.25, 0.5, 0.0))
    propose(ranking=Ranking.COSINE, k=2)
    return version


def thaw(session: Session) -> None:
    """Takes away what keeps snapshots from being changed, as whoever writes to the file itself could."""
    if session.get_bind().dialect.name == "sqlite":
        for event in ("update", "delete"):
            session.execute(text(f"DROP TRIGGER IF EXISTS gold_snapshot_{event}"))
    else:
        session.execute(text("DROP TRIGGER IF EXISTS gold_snapshot_stays ON gold_snapshot"))


def loss_of_batch(
    encoder: Any, query: str, sentences: Sequence[str], labels: Sequence[int], loss: Any, margin: float
) -> Any:
    """The loss of one training batch in float32 without dropout, by the code that trains; with its graph."""
    from model.encoder import tokenize
    from model.labelled import LabelledArticle
    from model.prompts import Side
    from model.training.pairs import table_of
    from model.training.quick import dropout_of, quick_attention
    from model.training.settings import TrainingSettings
    from model.training.steps import prepared, step_loss

    settings = TrainingSettings(query=query, loss=loss, margin=margin, dropout=False, mixed_precision=False)
    table = table_of([LabelledArticle("one", query, sentences, labels)])
    tokens, asked = dict(enumerate(tokenize(encoder, sentences))), tokenize(encoder, [query], Side.QUERY)
    encoder.train()
    with quick_attention(encoder), dropout_of(encoder, np.random.default_rng(0), enabled=settings.dropout):
        step = prepared(encoder, settings, table, asked, tokens, np.arange(len(tokens)))
        return step_loss(encoder, settings, step)


def log_odds_of_stored(weights: Any, rows: Any) -> Any:
    """The log odds of sentences by a head's weights as they are stored: (n, columns) -> (n,)."""
    from model.active_learning.head import COLUMNS

    assert tuple(weights["weights"]) == COLUMNS
    return rows @ np.array(list(weights["weights"].values())) + weights["intercept"]


def trained_version(name: str, *, parent: ModelVersion, exact: bool = True) -> ModelVersion:
    """A version without weights as a training on the present labels leaves it, with its job.

    Not `exact` is one of a release that did not keep what it had seen with its job.
    """
    from annotate.gold.label_sets import current_label_set
    from annotate.retraining.training_set import key_sentences, label_marks

    with write(Right.SYSTEM) as session:
        label_set = current_label_set(session)
        job_id = db.jobs.insert_job(session, "train", {})
        assert job_id is not None
        db.jobs.change(session, job_id, from_states=("queued",), state="running", started_at=utc_now())
        db.jobs.finish(session, job_id, "done", result=label_marks(session, label_set) if exact else {})
        counts = {"key": key_sentences(session, label_set), "not_key": 0, "unlabelled": 0}
    trained_on = {"label_counts": counts, "label_set_sha256": label_set.sha256}
    return version_without_weights(name, parent_id=parent.id, job_id=job_id, trained_on=trained_on)
