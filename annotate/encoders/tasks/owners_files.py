"""The restricted and large corpora, in the form in which their owners distribute them: none ships with Keyline."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from annotate.articles.document import UnreadableArticle
from annotate.articles.parsing.safe_xml import parse_xml
from annotate.encoders.tasks.json_files import find, in_parts, needed, some_of
from annotate.encoders.tasks.task import TEST, TRAIN, Item, Items, NotInstalled, Place
from annotate.project.files.packed_lines import UnreadableFile, text_lines

TEXT = (".txt", ".tsv")


def mednli(place: Place) -> Items:
    """Pairs of clinical sentences: entailment, contradiction or neutral (mli_train_v1.jsonl and so on, PhysioNet)."""

    def made(sentence1: str, sentence2: str, gold_label: str) -> list[Item]:
        return [Item((sentence1, sentence2), gold_label, sentence1)]  # three hypotheses stand under one premise

    return in_parts(place, made, "mli_train_v1", "mli_test_v1", (".jsonl", ".jsonl.gz"))


def clinical_sts(place: Place) -> Items:
    """Pairs of clinical sentences with a score from 0 to 5: two texts and the score between tabs. The scores may stand
    in a file of their own, one a line, as for the test part of n2c2 2019."""
    path = needed(place, "clinicalSTS2019.test", TEXT)
    scores = find(place, "clinicalSTS2019.test.gs.sim", TEXT)
    apart = _lines(scores) if scores else []
    found = []
    for number, (line, text) in enumerate(_lines(path)):
        fields = text.split("\t")
        try:
            score = float(apart[number][1] if scores else fields[2])
            found.append(Item((fields[0].strip(), fields[1].strip()), score, str(line)))
        except (IndexError, ValueError) as error:
            raise UnreadableFile(f"{path.name}, line {line}: needs two texts and a score") from error
    return Items(some_of(path, found))


def abstracts(train: str, test: str) -> Callable[[Place], Items]:
    """Sentences of abstracts, each behind its label, abstracts apart by `###` and their id (PubMed 20k RCT, PICO)."""

    def load(place: Place) -> Items:
        found: list[Item] = []
        for part, name in ((TRAIN, train), (TEST, test)):
            path = needed(place, name, TEXT)
            found += some_of(path, list(_of_abstracts(path, part)))
        return Items(found)

    return load


def _of_abstracts(path: Path, part: str) -> Iterator[Item]:
    article = ""
    for line, text in _lines(path):
        if text.startswith("###"):
            article = text[3:].strip()
            continue
        fields = text.split("\t" if "\t" in text else "|", maxsplit=2)
        if len(fields) < 2 or not article:
            raise UnreadableFile(f"{path.name}, line {line}: needs a label and a sentence below the id of an abstract")
        yield Item((fields[-1].strip(),), fields[0].strip(), article, part)


def bioasq(place: Place) -> Items:
    """Questions that are answered by yes or no, with the snippets that answer them (BioASQ 6b)."""
    found: list[Item] = []
    for part, name in ((TRAIN, "BioASQ-training6b"), (TEST, "6B1_golden")):
        path = needed(place, name, (".json",))
        found += some_of(path, list(_questions(path, part)))
    return Items(found)


def _questions(path: Path, part: str) -> Iterator[Item]:
    try:
        questions: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["questions"]
        for row in questions:
            if row["type"] == "yesno":
                answer = row["exact_answer"]
                answer = answer[0] if isinstance(answer, list) else answer
                snippets = " ".join(snippet["text"] for snippet in row["snippets"])
                yield Item((row["body"], snippets), str(answer).lower(), str(row["id"]), part)
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise UnreadableFile(f"{path.name}: is not as BioASQ distributes it ({error!r})") from error


def bioc(place: Place) -> Items:
    """Claims of abstracts on a question: does the claim answer it with yes? (ManConCorpus; ten folds by abstract)"""
    path = needed(place, "ManConCorpus", (".xml",))
    try:
        root = parse_xml(path.read_bytes())
    except (OSError, UnreadableArticle) as error:
        raise UnreadableFile(f"{path.name}: cannot be read ({error})") from error
    found = []
    for number, claim in enumerate(root.iter("CLAIM")):
        question, assertion = claim.get("QUESTION"), claim.get("ASSERTION")
        if not question or not assertion:
            raise UnreadableFile(f"{path.name}: claim {number + 1} has no QUESTION or no ASSERTION")
        answer = "yes" if assertion.upper() in ("YS", "YES") else "no"
        found.append(
            Item((question, " ".join("".join(claim.itertext()).split())), answer, claim.get("PMID") or str(number))
        )
    return Items(some_of(path, found), "folds")


def vaccine_tweets(place: Place) -> Items:
    """Tweets on HPV vaccines: id, label and, if their owner adds it, the text, between tabs; ten folds."""
    path = needed(place, "hpv_tweets", (".tsv", ".txt"))
    rows = [(line, text.split("\t")) for line, text in _lines(path)]
    if any(len(fields) < 3 for _, fields in rows):
        raise NotInstalled(f"{path.name} holds ids and labels alone: the texts are not distributed")
    return Items(some_of(path, [Item((fields[2],), fields[1], fields[0]) for _, fields in rows]), "folds")


def _lines(path: Path) -> list[tuple[int, str]]:
    return [(number, line) for number, line in text_lines(path) if line.strip()]
