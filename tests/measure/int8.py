"""How an encoder ranks in 8 bits, beside float32: python -m tests.measure.int8 TRAIN.jsonl.gz [--articles 40].

all-MiniLM-L6-v2 on articles of Evidence Inference, each with its own query. Prints in how many articles the first five,
the first and the set of five stay as they are, with 8 bits alone and with the first sentences encoded again by the
whole weights, as the product does it; how far down in 8 bits the first five lie; and how much work of a core each way
took, with the stock library beside. `--sentences 30` takes the first sentences alone. Needs requirements-int8.txt.
"""

import argparse
import gzip
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from sentence_transformers import SentenceTransformer

from model.devices import bfloat16_pays
from model.encoder import encode, load
from model.evaluation.metrics import same_first
from model.files import embedded_encoder
from model.int8 import Int8Encoder, load_int8, write_int8
from model.proposing.first_again import FIRST_AGAIN, WHOLE_BELOW
from tests.measure.machine import machine

CHUNK_SENTENCES = 2_000  # as the product embeds them
Articles = list[list[str]]
# Vectors of the queries and of the sentences of some articles, one after the other.
Way = Callable[[Articles, list[str]], tuple[np.ndarray, np.ndarray]]


def read(path: Path, articles: int, sentences: int) -> tuple[list[str], Articles]:
    """The query of each article, and its first sentences, or all."""
    with gzip.open(path, "rt") as file:
        rows = [json.loads(line) for line, _ in zip(file, range(articles), strict=False)]
    asked = [row["prompts"][0] for row in rows]
    queries = [f"{one['Outcome']} with {one['Intervention']} against {one['Comparator']}" for one in asked]
    return queries, [row["sentences"][: sentences or None] for row in rows]


def chunks(queries: list[str], articles: Articles) -> list[tuple[list[str], Articles]]:
    """The same in parts of about as many sentences as the product encodes at once."""
    found: list[tuple[list[str], Articles]] = [([], [])]
    for query, own in zip(queries, articles, strict=True):
        if sum(map(len, found[-1][1])) + len(own) > CHUNK_SENTENCES:
            found.append(([], []))
        found[-1][0].append(query)
        found[-1][1].append(own)
    return found


def stock(encoder: SentenceTransformer) -> Way:
    """`SentenceTransformer.encode` at its defaults."""

    def way(articles: Articles, queries: list[str]) -> tuple[np.ndarray, np.ndarray]:
        vectors = encoder.encode([*queries, *flat(articles)], show_progress_bar=False, normalize_embeddings=True)
        return vectors[: len(queries)], vectors[len(queries) :]

    return way


def ours(encoder: SentenceTransformer, *, mixed_precision: bool) -> Way:
    """`model.encoder.encode`, queries and all."""

    def way(articles: Articles, queries: list[str]) -> tuple[np.ndarray, np.ndarray]:
        vectors = encode(encoder, flat(articles), queries=queries, mixed_precision=mixed_precision)
        return vectors[: len(queries)], vectors[len(queries) :]

    return way


def again(encoder: Int8Encoder) -> Way:
    """As the product does it."""

    def way(articles: Articles, queries: list[str]) -> tuple[np.ndarray, np.ndarray]:
        owners = np.repeat(np.arange(len(articles)), [len(own) for own in articles])
        vectors = encoder.encode_articles(flat(articles), owners, dict(enumerate(queries)))
        return encoder.encode([], queries=queries), vectors

    return way


def flat(articles: Articles) -> list[str]:
    """All sentences."""
    return [text for own in articles for text in own]


def measured(way: Way, parts: Sequence[tuple[list[str], Articles]]) -> tuple[list[np.ndarray], float]:
    """The cosines of each article's sentences to its query, stored as the product stores them, and the seconds of a
    core's work."""
    queries, articles = parts[0]
    way([own[:8] for own in articles[:8]], queries[:8])
    cosines, begun = [], time.process_time()
    for queries, articles in parts:
        asked, vectors = way(articles, queries)
        stored = vectors.astype(np.float16).astype(np.float32)
        borders = np.cumsum([len(own) for own in articles])[:-1]
        cosines += [own @ query for own, query in zip(np.split(stored, borders), asked, strict=True)]
    return cosines, time.process_time() - begun


def order(cosines: np.ndarray) -> list[int]:
    """Positions, best first."""
    return np.argsort(-cosines, kind="stable").tolist()


def main() -> None:
    """Prints a line for each way."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--articles", type=int, default=40)
    parser.add_argument("--sentences", type=int, default=0, help="of each article; 0: all")
    options = parser.parse_args()
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    queries, articles = read(options.path, options.articles, options.sentences)
    parts = chunks(queries, articles)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(embedded_encoder(), copy)
        write_int8(copy)
        eight = load_int8(copy)
    ways = {
        "stock, float32": stock(SentenceTransformer(str(embedded_encoder()), device="cpu")),
        "ours, float32": ours(load(embedded_encoder(), "cpu"), mixed_precision=False),
        "ours, bfloat16": ours(load(embedded_encoder(), "cpu"), mixed_precision=True),
        "8 bits alone": ours(eight.small, mixed_precision=False),
        f"8 bits, the first {FIRST_AGAIN} again": again(eight),
    }
    if not bfloat16_pays("cpu"):
        del ways["ours, bfloat16"]
    print(*machine("cpu"), sep="\n")
    lengths = [len(own) for own in articles]
    short = sum(length < WHOLE_BELOW for length in lengths)
    print(
        f"{len(articles)} articles of {sum(lengths)} sentences, {short} of them of fewer than {WHOLE_BELOW}", flush=True
    )
    found: dict[str, list[np.ndarray]] = {}
    for name, way in ways.items():
        found[name], work = measured(way, parts)
        print(f"{name:27} {work:7.1f} s of a core", flush=True)
    whole = found["ours, float32"]
    for name, cosines in found.items():
        if cosines is not whole:
            five, first = (f"{same_first(whole, cosines, k):.1%}" for k in (5, 1))
            pairs = [(order(one), order(other)) for one, other in zip(whole, cosines, strict=True)]
            sets = np.mean([set(one[:5]) == set(other[:5]) for one, other in pairs])
            lowest = [max(1 + other.index(place) for place in one[:5]) for one, other in pairs]
            within = np.mean([place <= FIRST_AGAIN for place in lowest])
            print(f"{name:27} the first five stay in {five}, the first in {first}, the set of five in {sets:.1%};")
            print(
                f"{'':27} they are among its first {FIRST_AGAIN} in {within:.1%}, at the lowest in place {max(lowest)}"
            )


if __name__ == "__main__":
    main()
