"""Articles that cite each other, and a small collection of reference lists in files."""

import gzip
import json
from pathlib import Path

from annotate.articles.document import Article, Reference
from tests.support.making import paper, store

OLD = Reference("The old method of sleep", pmid="900", doi="10.1000/old")
COMMON = Reference("A handbook that everybody cites", pmid="901")


def store_linked() -> None:
    """Articles 1 to 4: 1 and 2 cite the same, 2 cites 1, 3 and 4 cite the handbook alone."""
    first = Reference("On sleep", pmid="1")
    store(
        _paper("1", "On sleep", (OLD, COMMON)),
        _paper("2", "On the sleep of mice", (Reference("Old", doi="10.1000/old"), COMMON, first)),
        _paper("3", "On maize", (COMMON,)),
        _paper("4", "On wheat", (COMMON,)),
    )


def _paper(pmid: str, title: str, references: tuple[Reference, ...]) -> Article:
    told = (f"{title} little is known before this work.", f"We measured it {title.lower()} for a year.")
    return paper(told, pmid=pmid, title=title, references=references, year=2000 + int(pmid))


TOPICS = ("sleep", "maize", "malaria", "asthma")


def write_collection(folder: Path) -> dict[str, Path]:
    """Four articles, each citing the three works of its topic; the files by option."""
    works = [
        {"pmid": f"{n}{k}", "title": f"{topic} {word} study", "year": 2000 + k}
        for n, topic in enumerate(TOPICS)
        for k, word in enumerate(("first", "second", "third"))
    ]
    docs = [
        {"id": f"D{n}", "title": f"Trial of {topic}", "text": f"{topic} was measured.", "year": "2010"}
        for n, topic in enumerate(TOPICS)
    ]
    citing = [{"id": f"D{n}", "year": 2010, "cites": [f"{n}0", f"{n}1", f"{n}2"]} for n in range(len(TOPICS))]
    contexts = [{"article": "D0", "section": "Methods", "sentence": "The first study of sleep [CIT].", "cites": ["00"]}]
    written = {"works": works, "docs": docs, "citing": citing, "contexts": contexts}
    paths = {name: folder / f"{name}.jsonl.gz" for name in written}
    for name, rows in written.items():
        paths[name].write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    paths["related"] = folder / "related.tsv"
    paths["related"].write_text("D0\tD1\t1\n")
    return paths
