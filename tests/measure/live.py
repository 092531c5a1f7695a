"""Prints what learning at once costs and what it is worth.

    python -m tests.measure.live speed [--articles 10000] [--url]
    python -m tests.measure.live looks TRAIN.jsonl.gz VALIDATION.jsonl.gz [--cache FOLDER]

`speed` makes a project of made-up rows in a folder of its own: articles of 290 sentences and one of 786, 384
dimensions, 400 of them labelled; --url asks the running app too. `looks` encodes with the embedded encoder, not
fine-tuned; with --cache it keeps the vectors there. Not collected by pytest.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from annotate.active_learning.heads import Base, calibration_of, counts_of
from annotate.project.rights import Right
from model.active_learning.head import COLUMNS, Head, first_head, rows_of, teach
from model.active_learning.taught import Taught
from model.labelled import UNLABELLED
from tests.support.topics import PRIOR, RULES

SENTENCES, LONG, DIMENSION, K = 290, 786, 384, 5
LABELLED = 400
LOOKS = 10
SEEDS = 3
QUERY = "q"


def timed(what: str, work: Callable[[], Any], before: Callable[[], Any] = lambda: None, times: int = 20) -> None:
    """Prints median and maximum of some runs, and the processor's time; what comes before each is not timed."""
    taken, busy = [], []
    for _ in range(times):
        before()
        started, cpu = time.perf_counter(), time.process_time()
        work()
        taken.append((time.perf_counter() - started) * 1000)
        busy.append((time.process_time() - cpu) * 1000)
    p50, cpu50 = statistics.median(taken), statistics.median(busy)
    print(f"{what}: p50 {p50:.0f} ms, max {max(taken):.0f} ms, processor {cpu50:.0f} ms (n = {times})", flush=True)


def once(what: str, work: Callable[[], Any]) -> Any:
    """Prints the seconds of one run and what the process grew by; returns what it gave."""
    before, cpu, started = memory(), time.process_time(), time.perf_counter()
    given = work()
    seconds, busy = time.perf_counter() - started, time.process_time() - cpu
    print(f"{what}: {seconds:.2f} s, processor {busy:.2f} s, process {memory() - before:+.0f} MiB", flush=True)
    return given


def memory(pid: int | None = None) -> float:
    """Resident memory of a process, this one if none is named, in MiB."""
    return psutil.Process(pid).memory_info().rss / 2**20


# --- Speed ---


def project(articles: int) -> int:
    """Inserts made-up articles with features, proposals and labels; returns the id of the long one, the last.

    Of their sentences only the proposed ones are stored, of their embeddings only those of the long article.
    """
    from sqlalchemy import insert

    import db.proposing
    from annotate.project.home import write
    from annotate.project.rights import Right
    from db import tables
    from tests.support.making import propose_with, version_without_weights

    version = version_without_weights("made-up")
    propose_with(version)
    generator = np.random.default_rng(0)
    blocks = [generator.normal(size=(LONG, len(COLUMNS))).astype(np.float16) for _ in range(20)]
    for start in range(1, articles + 1, 500):
        numbers = range(start, min(start + 500, articles + 1))
        counts = {number: LONG if number == articles else SENTENCES for number in numbers}
        stored = {number: range(LONG if number == articles else K) for number in numbers}
        with write(Right.SYSTEM) as session:
            given = {"journal": None, "split": "train", "source": "made", "full_text": True, "warnings": []}
            session.execute(insert(tables.Article), [
                {"id": n, "key": f"made:{n}", "title": f"Article {n}", "sentence_count": counts[n], **given}
                for n in numbers
            ])  # fmt: skip
            place = [{"id": n, "article_id": n, "position": 0} for n in numbers]
            session.execute(
                insert(tables.Section), [{**p, "depth": 0, "kind": "body", "title": "Results"} for p in place]
            )
            session.execute(insert(tables.Paragraph), [
                {**p, "section_id": p["id"], "kind": "paragraph", "text": "A sentence.", "marks": []} for p in place
            ])  # fmt: skip
            session.execute(insert(tables.Sentence), [
                {"id": n * 1000 + i, "article_id": n, "paragraph_id": n, "position": i, "start": 0, "end": 11}
                for n in numbers for i in stored[n]
            ])  # fmt: skip
            store_rows(session, version.id, counts, blocks, generator)
            sets = [
                {"article_id": n, "version_id": version.id, "ranking": "hybrid", "query": QUERY, "k": K}
                for n in numbers
            ]
            row = {"score": 0.0, "cosine": 0.5}
            db.proposing.insert_proposals(session, sets, [
                [{"rank": i + 1, "sentence_id": n * 1000 + i, **row} for i in range(K)] for n in numbers
            ])  # fmt: skip
    with write(Right.SYSTEM) as session:
        db.proposing.store_query_vectors(session, version.id, {QUERY: np.ones(DIMENSION, dtype=np.float32).tobytes()})
        vectors = generator.normal(size=(LONG, DIMENSION)).astype(np.float16).tobytes()
        row = {"version_id": version.id, "article_id": articles, "sentence_count": LONG, "vectors": vectors}
        db.proposing.store_embeddings(session, [row])
    label(articles, version)
    return articles


def store_rows(session: Any, version_id: int, counts: dict[int, int], blocks: list[np.ndarray], generator: Any) -> None:
    """The features of some articles, each a block."""
    import db.rows
    from db.tables import ArticleFeatures

    rows = []
    for number, count in counts.items():
        block, best = blocks[number % len(blocks)], generator.permutation(count)[:10]
        rows.append({"version_id": version_id, "article_id": number, "inputs_sha256": "x" * 64, "sentence_count": count,
                     "top": best.astype(np.int32).tobytes(), "top_rows": block[best].tobytes(),
                     "rows": block[:count].tobytes()})  # fmt: skip
    db.rows.put(session, ArticleFeatures, rows)


def label(articles: int, version: Any) -> None:
    """Verdicts on LABELLED articles, every other read in full, a base of them, then 20 more to learn on top of it."""
    from annotate.active_learning.heads import store_base
    from tests.support.making import judge, reading, verdict

    generator = np.random.default_rng(1)
    few = min(LABELLED, articles // 2)
    for number in range(1, few + 21):
        given = [verdict(p, "accept" if generator.random() < 0.4 else "reject") for p in range(K)]
        judge("Gold", number, *given, *([reading()] if number % 2 else []))
        if number == few:
            once(f"base of {few} articles, fitted and calibrated in the job",
                 lambda: store_base(version, [1], article_ids=[1]))  # fmt: skip


def speed(articles: int, url: bool) -> None:
    """Times of everything that an expert waits for, beside the targets of 50 and 150 ms."""
    from annotate.active_learning.article_features import candidates, rows_for, store_tops
    from annotate.active_learning.live_ranking import rank_now
    from annotate.active_learning.live_state import forget, prepare, state_of
    from annotate.project.home import read
    from annotate.project.stored_settings import change_settings
    from annotate.proposing.encoder_versions import proposing_version
    from annotate.review.assignments import take
    from annotate.review.queue_settings import QueueSettings
    from tests.support.making import judge, verdict

    long = once(f"{articles:,} articles made", lambda: project(articles))
    change_settings("Mary", QueueSettings(random_share=0.0, blind_share=0.0))
    version = proposing_version()
    with read() as session:
        found = once("candidates read", lambda: candidates(session, version.id))
    print(f"candidates: {sum(part.nbytes for part in found) / 1e6:.0f} MB")
    del found
    once("first load of the state", prepare)
    take("Anna", long)
    positions = iter(range(K, LONG))

    def article_alone() -> None:
        with read() as session:
            state = state_of(session)
            assert state is not None
            state.learnt(session, long).head.log_odds(rows_for(session, version.id, [long])[long])

    def judged() -> None:
        judge("Anna", long, verdict(next(positions), "reject"))

    timed("learn from a verdict and rank the article of 786 sentences", article_alone, judged)
    timed("rank_now: that, the set stored, and the next article of the queue", lambda: rank_now("Anna", long), judged)
    queue(list(range(1, articles)))
    forget()
    once("state made anew", prepare)
    with read() as session:
        state = state_of(session)
    assert state is not None
    once("best sentences chosen anew for all articles", lambda: store_tops(version, state.base))
    print(f"database {(Path(os.environ['KEYLINE_HOME']) / 'keyline.sqlite').stat().st_size / 1e6:,.0f} MB")
    if url:
        over_http(long)


def queue(waiting: list[int]) -> None:
    """Choosing the next article, by each strategy, and handing it out."""
    from annotate.active_learning.choosing import choose_next, preview
    from annotate.active_learning.queue import hand_out, whats_next
    from annotate.project.home import read, write
    from annotate.review.queue_settings import QueueSettings
    from model.active_learning.acquisition import STRATEGIES

    for strategy in STRATEGIES:
        settings = QueueSettings(strategy=strategy, random_share=0.0)

        def chosen(settings: QueueSettings = settings) -> None:
            with write(Right.SYSTEM) as session:
                choose_next(session, waiting, settings, np.random.default_rng(0))

        chosen()  # imports
        timed(f"choose_next among {len(waiting):,} by {strategy}, its head stored", chosen)
    with read() as session:
        timed("preview of ten", lambda: preview(session, waiting, QueueSettings(), 10))
    timed("whats_next of ten", lambda: whats_next("Anna", 10))
    names = iter(f"Expert {number}" for number in range(1000))
    timed("hand_out to another expert", lambda: hand_out(next(names)))


def over_http(article_id: int) -> None:
    """The same in the running app: a verdict saved by one request, then ranked by another."""
    from annotate.review.article_view import ENDPOINT, RANK_ENDPOINT
    from annotate.review.verdicts import sign
    from tests.support.browser import serving
    from tests.support.making import verdict

    token = sign("Anna", article_id)
    with serving(Path(os.environ["KEYLINE_HOME"])) as server:
        pid = server.process.pid  # type: ignore[union-attr]

        def post(path: str, **message: Any) -> dict[str, Any]:
            body = json.dumps({"token": token, **message}).encode()
            headers = {"Content-Type": "application/json", "Origin": server.url}
            request = urllib.request.Request(server.url + path, body, headers)
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)

        positions = iter(range(400, LONG))
        before = memory(pid)
        once("app: first ranking after the start", lambda: post(RANK_ENDPOINT))
        timed("app: from the saved verdict to the new ranking and the next article", lambda: post(RANK_ENDPOINT),
              lambda: post(ENDPOINT, events=[verdict(next(positions), "reject")]), times=40)  # fmt: skip
        print(f"app: memory {memory(pid):.0f} MiB, {memory(pid) - before:.0f} since the start")


# --- What it is worth within an article ---


def corpus(paths: list[Path], cache: Path | None) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """(truth, rows, vectors) of every article with a key sentence."""
    from annotate.experiments.corpora import read_articles
    from model.active_learning.features import features_of
    from model.proposing.ranking import Pool
    from tests.measure.learned import encoded

    found = []
    for path in paths:
        articles = list(read_articles(path))
        name = path.name.removesuffix(".jsonl.gz").rpartition("_")[2]
        texts = [text for article in articles for text in article.sentences]
        vectors = encoded(texts, cache / f"{name}.npy" if cache else None)
        queries = encoded([article.query for article in articles], cache / f"{name}_queries.npy" if cache else None)
        ends = np.cumsum([len(article.sentences) for article in articles])[:-1]
        for article, own, query in zip(articles, np.split(vectors, ends), queries, strict=True):
            truth = np.array(article.truth)
            if truth.any():
                rows = rows_of(features_of(Pool(article.sentences, own @ query, rules=RULES)), own)
                found.append((truth, rows, own))
    return found


def looked_at(
    base: Head, truth: np.ndarray, rows: np.ndarray, vectors: np.ndarray, weight: float, likeness: float
) -> float:
    """Recall of LOOKS sentences, each the best by the head of then; `likeness` counts the cosine to accepted ones."""
    seen: list[int] = []
    scores = base.log_odds(rows)
    for _ in range(min(LOOKS, len(rows))):
        shown = scores.copy()
        accepted = [position for position in seen if truth[position]]
        if likeness and accepted:
            shown += likeness * (vectors @ vectors[accepted].T).max(axis=1)
        shown[seen] = -np.inf
        seen.append(int(shown.argmax()))
        if weight:
            scores = base.learn(rows[seen], truth[seen].astype(float), np.full(len(seen), weight)).log_odds(rows)
    return float(truth[seen].sum() / truth.sum())


def looks(paths: list[Path], cache: Path | None) -> None:
    """Recall of the first LOOKS sentences with a base of 5, 50 and 300 articles, by a verdict's weight; calibration."""
    articles = corpus(paths, cache)
    settings = [(weight, 0.0) for weight in (0, 1, 3, 10, 30)] + [(0, 2.0), (1, 2.0), (3, 2.0)]
    print("| articles known | " + " | ".join(f"weight {w:g}, likeness {s:g}" for w, s in settings) + " |")
    for size in (5, 50, 300):
        recall = []
        for seed in range(SEEDS):
            order = np.random.default_rng(seed).permutation(len(articles))
            first = first_head(np.vstack([articles[i][1][:40] for i in order[:400]]), PRIOR)
            base = teach(first, [Taught(articles[i][1], articles[i][0]) for i in order[:size]])
            recall += [[looked_at(base, *articles[i], *given) for given in settings] for i in order[size : size + 200]]
        found = np.array(recall)
        gain = found - found[:, :1]
        error = 1.96 * gain.std(axis=0) / len(gain) ** 0.5
        cells = [
            f"{m:.3f} ({g:+.3f} ± {e:.3f})"
            for m, g, e in zip(found.mean(axis=0), gain.mean(axis=0), error, strict=True)
        ]
        print(f"| {size} | " + " | ".join(cells) + " |", flush=True)
    for size in (20, 50, 100, 300):
        calibration(articles, size)


def calibration(articles: list[tuple[np.ndarray, np.ndarray, np.ndarray]], size: int) -> None:
    """The expected calibration error before and after, cross-validated by article: articles read in full, and those
    of which only the K best sentences by a head of five articles were judged."""
    order = np.random.default_rng(0).permutation(len(articles))[: size + 5]
    first = first_head(np.vstack([articles[i][1][:40] for i in order]), PRIOR)
    early = teach(first, [Taught(articles[i][1], articles[i][0]) for i in order[:5]])
    for what in ("read in full", f"{K} proposals judged"):
        taught = {}
        for i in order[5:]:
            truth, rows, _ = articles[i]
            best = np.argsort(-early.log_odds(rows), kind="stable")[: K if "judged" in what else len(rows)]
            labels = np.full(len(truth), UNLABELLED)
            labels[best] = truth[best]
            taught[int(i)] = Taught(rows, labels)
        base = Base(teach(first, list(taught.values())), first, frozenset(), taught, counts_of(taught.values()))
        found = calibration_of(base)
        if found["calibration"] is None:
            print(f"{size} articles, {what}: {found['reason']}")
            continue
        numbers = {name: round(found["calibration"][name], 3) for name in ("ece_before", "ece_after", "a", "b")}
        print(f"{size} articles, {what}: {numbers}, {found['calibration']['sentences']:,} sentences", flush=True)


def main() -> None:
    """Runs what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    fast = commands.add_parser("speed")
    fast.add_argument("--articles", type=int, default=10_000)
    fast.add_argument("--url", action="store_true")
    worth = commands.add_parser("looks")
    worth.add_argument("paths", type=Path, nargs="+")
    worth.add_argument("--cache", type=Path)
    options = parser.parse_args()
    if options.command == "looks":
        looks(options.paths, options.cache)
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ["KEYLINE_HOME"] = f"{folder}/keyline"
        speed(options.articles, options.url)


if __name__ == "__main__":
    main()
