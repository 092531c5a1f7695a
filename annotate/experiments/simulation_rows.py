"""The corpus of a simulation, and the rows of its sentences, made once and kept as a file that the replays read.

Imports torch late, and only where something has to be embedded.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import db.articles
import db.registry
from annotate.active_learning.article_features import FORM
from annotate.articles.document_labels import labels_of, terms_of
from annotate.articles.works import work_marks
from annotate.evaluation.evaluate_version import NotEnoughGold
from annotate.experiments.corpora import DATABASE, beginning, limited, one_of_each_work, read_articles
from annotate.experiments.experiment_spec import EMBEDDED
from annotate.experiments.experiments import encoder_source, identity_of
from annotate.experiments.replay import Material
from annotate.gold.label_sets import current_label_set
from annotate.project.home import folder, read
from annotate.project.whole_files import OWNER_ONLY, whole_file
from annotate.proposing.encoder_versions import find_version
from annotate.proposing.propose import BATCH_ARTICLES, article_batches, pools_of
from annotate.proposing.queries import cosine_weight_of
from annotate.proposing.roles import roles_mark
from annotate.registry.versions import model_folder
from annotate.retraining.training_set import labelled_articles
from annotate.topics.project_topic import current_topic
from db.articles import SPLITS
from model.active_learning.features import features_of, prior_of
from model.active_learning.head import COLUMNS, rows_of
from model.active_learning.screening import cue_score, examples_of
from model.files import sha256_of
from model.labelled import LabelledArticle
from model.proposing.ranking import Pool
from model.proposing.rules import Rules

# Sentences that stand for title and abstract: in the articles of Evidence Inference these are nine to twenty.
BEGINNING = 15
BEFORE_ALL = ""  # a time before any verdict taught
WORDS_FORM = 1  # raise it where the same articles come to be seen otherwise
StageReport = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Labelled:
    """The labelled articles of a simulation; `ids` are their ids in the database, empty for files.

    `encoder` is its name, `source` where its files are (or the version's name), `rules` are the topic's, `sha256`
    covers all that the rows depend on.
    """

    articles: Sequence[LabelledArticle]
    ids: Sequence[int]
    description: dict[str, Any]
    encoder: str
    source: str
    cosine_weight: float
    rules: Rules

    @property
    def sha256(self) -> str:
        """The hash of corpus, encoder and the form of the rows."""
        return str(self.description["rows_sha256"])


def labelled(corpus: Mapping[str, Any], encoder: str = "") -> Labelled:
    """The corpus of a simulation: `files`, or without these the database; at most `limit` articles.

    encoder: "" for the one that proposes (database) or the embedded one (files). Raises ValueError for files that are
    missing or wrong, NotEnoughGold for a corpus without a key sentence.
    """
    rules = current_topic().rules
    if "files" in corpus:
        return _of_files([Path(path) for path in corpus["files"]], corpus.get("limit"), encoder, rules)
    return _of_database(corpus.get("limit"), encoder or None, rules)


def _of_files(paths: Sequence[Path], limit: int | None, encoder: str, rules: Rules) -> Labelled:
    if not paths:
        raise ValueError("this spec is for files of labelled articles: name them with --files")
    articles: list[LabelledArticle] = []
    file_of: dict[str, str] = {}
    for path in paths:
        for article in read_articles(path, rules):
            if article.key in file_of:
                raise ValueError(f"{path.name}: the article {article.key} is in {file_of[article.key]} already")
            file_of[article.key] = path.name
            articles.append(article)
    name = encoder or EMBEDDED
    source, identity = encoder_source(name)
    with read() as session:
        version = db.registry.encoder_named(session, name)
    weight = cosine_weight_of(rules, version) if version else rules.cosine.named
    sources = [{"name": path.name, "sha256": sha256_of(path)} for path in paths]
    chosen = limited(one_of_each_work(articles, beginning), limit)
    depends_on = [identity, weight, rules.name, []]
    return Labelled(chosen, (), _described(chosen, sources, depends_on), name, source, weight, rules)


def _of_database(limit: int | None, encoder: str | None, rules: Rules) -> Labelled:
    """All articles with labels, of every split, each with its own query; none of which only picked sentences were
    judged."""
    version = find_version(encoder)
    with read() as session:
        label_set = current_label_set(session)
        known = db.articles.keys_and_splits(session)
        found = [a for split in SPLITS for a in labelled_articles(session, label_set, split, query=version.query)]
        found = [article for article in found if int(article.key) not in label_set.picked]
        works = work_marks(session, [int(article.key) for article in found])
        found = one_of_each_work(found, lambda article: works[int(article.key)])
        articles = limited([replace(article, key=known[int(article.key)][0]) for article in found], limit)
        id_of = {known[int(article.key)][0]: int(article.key) for article in found}
        ids = [id_of[article.key] for article in articles]
        labels = labels_of(session, ids)
        terms = [repr(terms_of(labels[article_id])) for article_id in ids]
        roles = roles_mark(session, ids)
    sources = [{"name": DATABASE, "sha256": label_set.sha256}]
    weight = cosine_weight_of(rules, version)
    depends_on = [identity_of(model_folder(version), version.manifest), weight, rules.name, terms]
    if roles:
        depends_on.append(roles)
    if rules.examples.weight:  # rows that the replayed verdicts taught are other ones
        depends_on.append("examples alone")
    return Labelled(articles, ids, _described(articles, sources, depends_on), version.name, version.name, weight, rules)


def _described(
    articles: Sequence[LabelledArticle], sources: Sequence[Mapping[str, str]], depends_on: Sequence[Any]
) -> dict[str, Any]:
    """Counts, sources and hashes of a corpus. The hash of its rows covers `depends_on`, too.

    Raises NotEnoughGold where no article has a key sentence.
    """
    keys = sum(sum(article.truth) for article in articles)
    if not keys:
        raise NotEnoughGold("no labelled article has a key sentence: there is nothing to find")
    digest = hashlib.sha256()
    for article in articles:
        digest.update(json.dumps([article.key, article.query, list(article.sentences), article.truth]).encode())
    corpus_sha256 = digest.hexdigest()
    rows = [corpus_sha256, *depends_on, FORM, COLUMNS]
    return {
        "sources": [dict(entry) for entry in sources],
        "sha256": corpus_sha256,
        "rows_sha256": hashlib.sha256(json.dumps(rows).encode()).hexdigest(),
        "articles": len(articles),
        "sentences": sum(len(article.sentences) for article in articles),
        "key": keys,
    }


def rows_file(corpus: Labelled, progress: StageReport = lambda stage, done, total: None) -> Path:
    """The file with the corpus's material for replays, made where it is missing; `progress` may raise to stop."""
    path = folder("simulations") / f"{corpus.sha256[:32]}.npz"
    if not path.exists():
        rows = _stored_rows(corpus, progress) if corpus.ids else _encoded_rows(corpus, progress)
        truth = [np.array(article.truth) for article in corpus.articles]
        prior = prior_of(corpus.rules, corpus.cosine_weight)
        material = Material([article.key for article in corpus.articles], rows, truth, prior)
        with whole_file(path, mode=OWNER_ONLY, keep_existing=True) as partial:
            material.save(partial)
    return path


def words_file(corpus: Labelled, rows: Path) -> Path:
    """The file with the words that triage sees of each article, next to the file with its rows; made where it is
    missing.

    Files hold no titles: the first sentences stand for title and abstract.
    """
    path = words_path(rows)
    if not path.exists():
        beginnings = [article.sentences[:BEGINNING] for article in corpus.articles]
        texts = [("", " ".join(sentences)) for sentences in beginnings]
        words = examples_of(texts, [cue_score(sentences, corpus.rules) for sentences in beginnings])
        with whole_file(path, mode=OWNER_ONLY, keep_existing=True) as partial:
            words.save(partial)
    return path


def words_path(rows: Path) -> Path:
    """The path of the file with the words that triage sees, whether the file exists or not."""
    return rows.with_name(f"{rows.stem}-words-{WORDS_FORM}.npz")


def _stored_rows(corpus: Labelled, progress: StageReport) -> list[np.ndarray]:
    """The rows that the app ranks with, with document labels and sections; but no verdict has taught them."""
    from annotate.proposing.embed import embed  # noqa: PLC0415 (torch takes seconds to import)

    version, total = find_version(corpus.source), len(corpus.ids)
    embed(version, article_ids=corpus.ids, progress=partial(progress, "embedding sentences"))
    rows: dict[int, np.ndarray] = {}
    for batch in article_batches(corpus.ids, BATCH_ARTICLES, lambda done: progress("weighing sentences", done, total)):
        with read() as session:
            pools = pools_of(session, version, batch, until=BEFORE_ALL)
        rows |= {article_id: rows_of(features_of(found.pool), found.vectors) for article_id, found in pools.items()}
    return [rows[article_id] for article_id in corpus.ids]


def _encoded_rows(corpus: Labelled, progress: StageReport) -> list[np.ndarray]:
    """Rows from text and cosines: articles of files carry neither sections nor names."""
    progress("loading the encoder", 0, 0)
    from annotate.proposing.encoders import load_source  # noqa: PLC0415 (torch takes seconds to import)
    from model.encoder import encode  # noqa: PLC0415 (likewise)
    from model.training.validation import embeddings_of  # noqa: PLC0415 (likewise)

    encoder = load_source(corpus.source)
    queries = list(dict.fromkeys(article.query for article in corpus.articles))
    vector_of = dict(zip(queries, encode(encoder, [], queries=queries), strict=True))
    total = corpus.description["sentences"]
    embeddings = embeddings_of(
        encoder, corpus.articles, progress=lambda done: progress("embedding sentences", done, total)
    )
    rows = []
    for article, own in zip(corpus.articles, embeddings, strict=True):
        cosines, weight = own @ vector_of[article.query], corpus.cosine_weight
        pool = Pool(article.sentences, cosines, cosine_weight=weight, rules=corpus.rules)
        rows.append(rows_of(features_of(pool), own))
        progress("weighing sentences", len(rows), len(corpus.articles))
    return rows
