"""Commands of entities: what a training says in words and as JSON."""

import json
from collections import Counter

import pytest

from annotate.cli.main import main

TOLD = {
    "types": ["gene", "organism"],
    "corpora": [{"file": "a.jsonl", "documents": 1200, "mentions": Counter(organism=3, gene=4000)}],
}


@pytest.fixture(autouse=True)
def trained(monkeypatch):
    monkeypatch.setattr("annotate.cli.entities.train", lambda *_, **__: TOLD)


def test_a_training_is_told_line_by_line_the_most_frequent_type_first(capsys):
    assert main(["entities", "train", "a.jsonl"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "taggers trained: gene, organism",
        "a.jsonl, 1,200 documents, by type:",
        "  gene: 4,000",
        "  organism: 3",
    ]


def test_as_json_it_has_the_counts_and_no_text(capsys):
    assert main(["entities", "train", "a.jsonl", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == TOLD
