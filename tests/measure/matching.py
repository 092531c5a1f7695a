"""Measure the matching of passages onto articles: who is found, and at which score true and false pairs part.

python -m tests.measure.matching ARTICLES.zip GOLD.csv [--sentences LABELLED.jsonl.gz] [--show]

True pairs are the gold's passages as they are, and damaged on purpose; false pairs are the same passages against other
articles, and against their own article without the sentences that they stand for. --show prints the false pairs of
their own article from five points below the threshold, for a reader to judge. The tables stand in docs/matching.md.
"""

import argparse
import gzip
import json
import random
import string
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from annotate.articles.importing.splitting import sentence_spans
from annotate.articles.parsing import read_articles
from annotate.articles.table_files import read_table
from annotate.gold.matching import FUZZY_THRESHOLD, LONGEST_FUZZY, ArticleText, Match, fold

SEED = 7
OTHER_ARTICLES = 10
THRESHOLDS = (50, 60, 70, 80, 85, 88, 90, 92, 95)
HEADINGS = ("RESULTS: ", "Results and discussion. ", "BODY.SECONDARY END POINTS: ", "Conclusions - ")
SIGNS = {"-": "–", "–": "-", "−": "-", "μ": "µ", "fi": "ﬁ", "±": "+/-", "≥": ">=", "'": "’", "’": "'", " ": "\u2009"}


@dataclass(frozen=True)
class Pair:
    """A passage that matches without any fuzziness, with the article and the sentences that are taken for true."""

    line: int
    article: str
    passage: str
    positions: tuple[int, ...]


def corpus(path: Path) -> dict[str, list[str]]:
    """The sentences of each article by PMCID, as an import splits them."""
    found = {}
    for entry in read_articles(path):
        if entry.article and entry.article.pmcid:
            paragraphs = [paragraph for _, _, paragraph in entry.article.paragraphs()]
            found[entry.article.pmcid] = [p.text[start:end] for p in paragraphs for start, end in sentence_spans(p)]
    return found


def recognised(share: float) -> Callable[[str, random.Random], str]:
    """Replaces, drops or adds a letter at this share of the characters, as optical recognition does."""

    def damage(text: str, generator: random.Random) -> str:
        out = []
        for character in text:
            if generator.random() >= share:
                out.append(character)
            else:
                letter = generator.choice(string.ascii_lowercase)
                out.append(generator.choices((letter, "", character + letter), (5, 3, 2))[0])
        return "".join(out)

    return damage


def without_words(share: float) -> Callable[[str, random.Random], str]:
    """Drops this share of the words."""
    return lambda text, generator: " ".join(word for word in text.split() if generator.random() >= share) or text


def with_heading(text: str, generator: random.Random) -> str:
    """Puts a heading in front."""
    return generator.choice(HEADINGS) + text


def other_signs(text: str, _: random.Random) -> str:
    """Writes dashes, quotes, signs, ligatures and spaces another way, and in capitals."""
    for sign, other in SIGNS.items():
        text = text.replace(sign, other)
    return text.upper()


DAMAGES: dict[str, Callable[[str, random.Random], str]] = {
    "other signs": other_signs,
    **{f"letters {share}%": recognised(share / 100) for share in (2, 5, 10, 15)},
    **{f"words -{share}%": without_words(share / 100) for share in (10, 20, 30)},
    "heading": with_heading,
    "heading, letters 5%": lambda text, generator: recognised(0.05)(with_heading(text, generator), generator),
}


def match_gold(texts: dict[str, ArticleText], gold: Path) -> list[Pair]:
    """Matches the passages as they are; prints methods, failures and speed."""
    rows = read_table(gold, needs=[("pmcid",), ("sentence",)])
    methods: Counter[str] = Counter()
    pairs = []
    begun = time.perf_counter()
    for line, row in rows:
        match = texts[row["pmcid"]].match(row["sentence"])
        methods[match.method if match else "none"] += 1
        methods["of these, several sentences"] += bool(match and len(match.positions) > 1)
        if match is None:
            print(f"line {line}: {texts[row['pmcid']].why_not(row['sentence'])}")
        elif match.score == 100:
            pairs.append(Pair(line, row["pmcid"], row["sentence"], match.positions))
    print(f"{len(rows)} passages in {time.perf_counter() - begun:.2f} s: {dict(methods)}")
    return pairs


def match_labelled(texts: dict[str, ArticleText], path: Path) -> None:
    """Matches the sentences of another preparation of the same articles; prints methods, and failures of label 1."""
    methods: dict[str, Counter[str]] = {"label 1": Counter(), "any label": Counter()}
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        article = json.loads(line)
        if (text := texts.get(article["pmcid"])) is None:
            continue
        for sentence, label in zip(article["sentences"], article["labels"], strict=True):
            match = text.match(sentence)
            for name in ("label 1", "any label") if label == 1 else ("any label",):
                methods[name][match.method if match else "none"] += 1
            if match is None and label == 1:
                print(f"{article['pmcid']}: {text.why_not(sentence)}")
    for name, counted in methods.items():
        print(f"{counted.total()} sentences of {name}: {dict(counted)}")


def score(found: Match | None) -> float:
    """The score of the best place, 0 where there is nothing to compare."""
    return found.score if found else 0.0


def true_scores(texts: dict[str, ArticleText], pairs: Sequence[Pair]) -> dict[str, list[float]]:
    """By kind of damage: the fuzzy score of each pair, 0 where the best place is another; prints exact positions."""
    scores: dict[str, list[float]] = {}
    for name, damage in DAMAGES.items():
        generator = random.Random(SEED)
        scores[name], same = [], 0
        for pair in pairs:
            found = texts[pair.article].nearest(damage(pair.passage, generator))
            right = found is not None and bool({*found.positions} & {*pair.positions})
            scores[name].append(score(found) if right else 0.0)
            same += found is not None and found.positions == pair.positions
        print(f"{name}: the very same sentences for {same} of {len(pairs)}")
    return scores


def false_scores(texts: dict[str, ArticleText], pairs: Sequence[Pair], show: bool) -> tuple[list[float], list[float]]:
    """The scores against other articles, and against the own article without the true sentences."""
    generator = random.Random(SEED)
    others, own = [], []
    for pair in pairs:
        for article in generator.sample(sorted(texts.keys() - {pair.article}), OTHER_ARTICLES):
            others.append(score(texts[article].nearest(pair.passage)))
        sentences = texts[pair.article].sentences
        rest = [text for position, text in enumerate(sentences) if position not in pair.positions]
        found = ArticleText(rest).nearest(pair.passage)
        own.append(score(found))
        if show and found and found.score >= FUZZY_THRESHOLD - 5:
            print(f"\n{found.score:.1f} line {pair.line}: {pair.passage}")
            print("\n".join(f"   -> {rest[position]}" for position in found.positions))
    return others, own


def print_table(columns: dict[str, list[float]]) -> None:
    """The share of each column's scores at or above each threshold, as a Markdown table."""
    print(f"\n| threshold | {' | '.join(columns)} |\n|--:|{'--:|' * len(columns)}")
    for threshold in THRESHOLDS:
        shares = [100 * sum(s >= threshold for s in scores) / len(scores) for scores in columns.values()]
        print(f"| {threshold} | {' | '.join(f'{share:.1f}' for share in shares)} |")


def measure_speed(sentences: Sequence[str]) -> None:
    """An article of 800 sentences and 100 damaged passages."""
    generator = random.Random(SEED)
    article = list(sentences[:800])
    long_enough = [text for text in article if len(fold(text)) > 60]
    passages = [recognised(0.05)(text, generator) for text in generator.sample(long_enough, 100)]
    begun = time.perf_counter()
    text = ArticleText(article)
    found = sum(text.match(passage) is not None for passage in passages)
    seconds = time.perf_counter() - begun
    print(f"\n{found} of 100 damaged passages in an article of {len(article)} sentences: {seconds:.2f} s")
    longest = "".join(article)[: LONGEST_FUZZY - 1] + "x"
    begun = time.perf_counter()
    text.match(recognised(0.1)(longest, generator)[:LONGEST_FUZZY])
    print(f"one damaged passage of {LONGEST_FUZZY} characters: {time.perf_counter() - begun:.2f} s")


def main() -> None:
    """Measures what the arguments name."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("articles", type=Path, help="zip of JATS articles")
    parser.add_argument("gold", type=Path, help="CSV with pmcid and sentence")
    parser.add_argument("--sentences", type=Path, help="gzipped JSON lines with pmcid, sentences and labels")
    parser.add_argument("--show", action="store_true", help="print the false pairs of their own article, to judge")
    options = parser.parse_args()
    articles = corpus(options.articles)
    texts = {pmcid: ArticleText(sentences) for pmcid, sentences in articles.items()}
    pairs = match_gold(texts, options.gold)
    if options.sentences:
        match_labelled(texts, options.sentences)
    true = true_scores(texts, pairs)
    others, own = false_scores(texts, pairs, options.show)
    print_table({"other articles": others, "own article": own, **true})
    measure_speed([sentence for sentences in articles.values() for sentence in sentences])


if __name__ == "__main__":
    main()
