"""How much of the passes of a training is padding: python -m tests.measure.padding TRAIN.jsonl.gz [--articles 60].

One epoch of the preset "best" on the first articles of labelled JSON lines, cut by the sizes of passes of each kind of
device, and by others beside them. Nothing is computed but tokens.
"""

import argparse
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from model.encoder import MAX_TOKENS, PAD_MULTIPLE
from model.files import embedded_encoder
from model.labelled import LabelledArticle
from model.passes import PassSize, chunks
from model.training.pairs import batches_by_article, cut_articles, epoch_of, table_of
from model.training.passes import PASS_SIZES
from model.training.settings import PRESETS
from tests.measure.bench import QUERY, corpus

OTHERS = {
    "one pass, up to 65,536 tokens": PassSize(65_536, fill=0.75),
    "up to 8,192 tokens": PassSize(8_192, fill=0.75),
    **{f"a pass costs {cost:,} tokens": PassSize(8_192, fixed_cost=cost) for cost in (512, 1_024, 4_096)},
}


def steps_of(path: Path, number: int) -> list[list[int]]:
    """The tokens of each sentence of each step."""
    found = corpus(path)[:number]
    table = table_of([LabelledArticle(str(n), QUERY, *each) for n, each in enumerate(found)])
    tokenizer = Tokenizer.from_file(str(embedded_encoder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    lengths = np.array([len(each.ids) for each in tokenizer.encode_batch(table.sentences)])
    settings, generator = PRESETS["best"], np.random.default_rng(0)
    chosen = cut_articles(table, epoch_of(table, settings, generator), generator)
    batches = batches_by_article(table.article[chosen], settings.batch_size, generator)
    return [lengths[chosen[batch]].tolist() for batch in batches]


def main() -> None:
    """Prints a line for each size of passes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--articles", type=int, default=60)
    options = parser.parse_args()
    steps = steps_of(options.path, options.articles)
    tokens = sum(map(sum, steps))
    print(f"{len(steps)} steps of {sum(map(len, steps)) / len(steps):.0f} sentences")
    for name, size in {**PASS_SIZES, **OTHERS}.items():
        passes = [[step[i] for i in chunk] for step in steps for chunk in chunks(step, size)]
        padded = [-(-own[0] // PAD_MULTIPLE) * PAD_MULTIPLE * len(own) for own in passes]
        each = len(passes) / len(steps)
        print(f"{name:32} {sum(padded) / tokens:.2f}x the tokens, {each:.2f} passes a step, largest {max(padded):,}")


if __name__ == "__main__":
    main()
