"""How an encoder ranks in 8 bits, beside float32: python -m tests.measure.int8 TRAIN.jsonl.gz [--articles 20].

all-MiniLM-L6-v2 on the first sentences of articles of Evidence Inference, each with its own query. Prints in how many
articles the first five, the first and the set of five stay as they are, and how much work of a core each took. Needs
requirements-int8.txt.
"""

import argparse
import gzip
import json
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from model.encoder import encode, load
from model.files import embedded_encoder
from model.int8 import load_int8, same_first, write_int8


def read(path: Path, articles: int, sentences: int) -> tuple[list[str], list[list[str]]]:
    """The query of each article, and its first sentences."""
    with gzip.open(path, "rt") as file:
        rows = [json.loads(line) for line, _ in zip(file, range(articles), strict=False)]
    asked = [row["prompts"][0] for row in rows]
    queries = [f"{one['Outcome']} with {one['Intervention']} against {one['Comparator']}" for one in asked]
    return queries, [row["sentences"][:sentences] for row in rows]


def cosines(encoder: Any, queries: list[str], articles: list[list[str]]) -> tuple[list[np.ndarray], float]:
    """The cosines of each article's sentences to its query, and the seconds of a core's work."""
    begun = time.process_time()
    texts = [text for own in articles for text in own]
    vectors = encode(encoder, texts, queries=queries, mixed_precision=False)
    seconds = time.process_time() - begun
    parts = np.split(vectors, np.cumsum([len(queries), *map(len, articles)]))[1:-1]
    return [own @ query for own, query in zip(parts, vectors, strict=False)], seconds


def main() -> None:
    """Prints one line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--articles", type=int, default=20)
    parser.add_argument("--sentences", type=int, default=30, help="of each article")
    options = parser.parse_args()
    queries, articles = read(options.path, options.articles, options.sentences)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(embedded_encoder(), copy)
        write_int8(copy)
        whole, work = cosines(load(copy, "cpu"), queries, articles)
        small, less = cosines(load_int8(copy), queries, articles)
    pairs = list(zip(whole, small, strict=True))
    sets = np.mean([set(np.argsort(-a)[:5]) == set(np.argsort(-b)[:5]) for a, b in pairs])
    again = np.mean([set(np.argsort(-a)[:5]) <= set(np.argsort(-b)[:15]) for a, b in pairs])
    five, first = (f"{same_first(whole, small, k):.1%}" for k in (5, 1))
    print(
        f"{len(articles)} articles: the first five stay in {five}, the first in {first}, the set of five in {sets:.1%};"
    )
    print(f"they are among the first 15 in {again:.1%}; {work:.1f} s of a core in float32, {less:.1f} s in 8 bits")


if __name__ == "__main__":
    main()
