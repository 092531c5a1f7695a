"""Corpora of experiments: what a file's line may hold, who ends up in which part, and every error by file and line."""

import gzip
import json
from itertools import islice

import pytest

import annotate.experiments.corpora
from annotate.articles.article_rows import split_of
from annotate.experiments.corpora import (
    PARTS,
    PROMPT_CHARACTERS,
    database_corpus,
    file_corpus,
    prompt_query,
    read_articles,
)
from model.labelled import KEY, NOT_KEY, UNLABELLED
from tests.support.making import judge, paper, pmids, pmids_of, reading, store, store_divided_work, verdict
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES, RULES


def line(key="a", labels=(1, 0), **more):
    """A line of a file, as an object."""
    return {"id": key, "sentences": [f"{key} {i}." for i in range(len(labels))], "labels": list(labels), **more}


@pytest.fixture
def write(tmp_path):
    """Writes lines as a file; returns its path."""

    def make(name, *lines):
        text = "".join((entry if isinstance(entry, str) else json.dumps(entry)) + "\n" for entry in lines)
        path = tmp_path / name
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return path

    return make


def labels_of(path):
    return {article.key: list(article.labels) for article in read_articles(path)}


def test_nobody_saw_a_zero_unless_the_article_was_read_in_full(write):
    path = write(
        "a.jsonl",
        line("a", [1, 0, None, -1]),
        "",
        {**line("b", [0, 1, None]), "read_in_full": True},
        {"pmcid": "PMC1", "pmid": 7, "sentences": ["x"], "labels": [1]},
        {"pmid": 7, "sentences": ["x"], "labels": [0]},
    )
    assert labels_of(path) == {
        "a": [KEY, UNLABELLED, UNLABELLED, UNLABELLED],
        "b": [NOT_KEY, KEY, UNLABELLED],
        "PMC1": [KEY],
        "7": [UNLABELLED],
    }


def test_a_query_is_the_lines_own_or_made_of_its_prompts_or_generic(write):
    prompts = [
        {"Intervention": " drug  A", "Comparator": "placebo", "Outcome": "pain"},
        {"Intervention": "Drug A", "Comparator": "nothing", "Outcome": "sleep"},
    ]
    path = write(
        "a.jsonl.gz",
        line("a", prompts=prompts),
        line("b", prompts=prompts, query=" own "),
        line("c"),
        line("d", prompts=[{"Outcome": "pain"}]),
    )
    queries = [article.query for article in read_articles(path, RULES)]
    assert queries == ["pain, sleep with drug A against placebo, nothing", "own", GENERIC_QUERIES[BEST_GENERIC], "pain"]


def test_a_long_prompt_is_cut_at_a_word():
    outcome, drug = prompt_query([{"Intervention": "word " * 60, "Outcome": "x" * 500}]).split(" with ")
    assert drug == ("word " * 30).strip() and len(drug) <= PROMPT_CHARACTERS["Intervention"]
    assert outcome == "x" * PROMPT_CHARACTERS["Outcome"]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("{", "a.jsonl, line 2: Expecting"),
        ("[1]", "line 2: not a JSON object"),
        ({"sentences": ["x"], "labels": [1]}, "line 2: has no id, pmcid or pmid"),
        (line("b", [1]) | {"labels": [1, 0]}, "line 2: b: 2 labels for 1 sentences"),
        (line("b", [2]), "line 2: labels[0] is 2; it must be 1, 0, -1 or None"),
        (line("b", [True]), "line 2: labels[0] is no whole number"),
        (line("b", ["1"]), 'line 2: labels[0] is "1"; it must be 1, 0'),
        (line("b", []), "line 2: sentences is empty"),
        (line("b", [1]) | {"sentences": [3]}, "line 2: sentences[0] is no text"),
        (line("b", query=3), "line 2: query is no text"),
        (line("b", prompts="x"), "line 2: prompts is no list"),
        (line("a"), "line 2: the id a stands in line 1 already"),
    ],
)
def test_a_wrong_line_is_named(write, bad, message):
    with pytest.raises(ValueError, match="line 2") as error:
        list(read_articles(write("a.jsonl", line("a"), bad)))
    assert message in str(error.value)


def test_a_file_that_is_none_is_named(write, tmp_path):
    with pytest.raises(ValueError, match="no such file"):
        list(read_articles(tmp_path / "none.jsonl"))
    broken = write("a.jsonl.gz", line("a"))
    broken.write_bytes(broken.read_bytes()[:-12])
    with pytest.raises(ValueError, match=r"a\.jsonl\.gz cannot be read"):
        list(read_articles(broken))


def test_without_a_validation_file_a_tenth_of_the_training_articles_is_held_out(write):
    train = write("train.jsonl", *(line(f"a{i}") for i in range(400)))
    test = write("test.jsonl", *(line(f"t{i}") for i in range(30)))
    corpus = file_corpus({"train": train, "test": test})
    held_out = {article.key for article in corpus.validation}
    assert 20 <= len(held_out) <= 60 and len(corpus.train) + len(held_out) == 400
    assert held_out.isdisjoint(article.key for article in corpus.train) and len(corpus.test) == 30
    assert all(key.startswith("a") for key in held_out)
    again = file_corpus({"train": train, "test": test})
    assert again.sha256 == corpus.sha256 and [a.key for a in again.train] == [a.key for a in corpus.train]
    whole = file_corpus({"train": train, "test": test}, validation_share=0)
    assert len(whole.train) == 400 and list(whole.validation) == [] and whole.sha256 != corpus.sha256
    assert corpus.description["train"] == {
        "articles": len(corpus.train),
        "sentences": 2 * len(corpus.train),
        "key": len(corpus.train),
    }
    assert [source["name"] for source in corpus.description["sources"]] == ["train.jsonl", "test.jsonl"]


def test_a_limit_takes_the_same_articles_again_and_a_smaller_one_takes_some_of_them(write):
    train, test = (write(f"{name}.jsonl", *(line(f"{name}{i}") for i in range(60))) for name in ("train", "test"))
    files = {"train": train, "test": test}
    twenty = file_corpus(files, 20)
    ten = file_corpus(files, 10)
    assert (len(twenty.train), len(twenty.test), len(ten.train)) == (20, 20, 10)
    assert {a.key for a in ten.train} < {a.key for a in twenty.train}
    only_train = file_corpus(files, {"train": 5})
    assert (len(only_train.train), len(only_train.test)) == (5, 60)
    with pytest.raises(ValueError, match="the limit 0"):
        file_corpus(files, 0)


def test_corpora_that_would_mislead_are_refused(write):
    train, test = write("train.jsonl", line("a"), line("b")), write("test.jsonl", line("c"))
    for files, message in [
        ({"train": train}, "name a file for test"),
        ({"train": train, "test": write("leak.jsonl", line("b"))}, "leak.jsonl: the article b is in train as well"),
        ({"train": write("none.jsonl", line("d", [0])), "test": test}, "none.jsonl: no key sentence to train on"),
        ({"train": train, "test": write("zero.jsonl", line("d", [0]))}, "zero.jsonl: no key sentence to evaluate on"),
        (
            {"train": train, "test": test, "validation": write("val.jsonl", line("e", [0]))},
            "val.jsonl: no key sentence to evaluate on",
        ),
    ]:
        with pytest.raises(ValueError) as error:
            file_corpus(files, validation_share=0)
        assert message in str(error.value)


def test_the_database_is_a_corpus_in_its_own_splits(home):
    (train,), (test,) = pmids("train", 1), pmids("test", 1)
    assert split_of(f"pmid:{test}") == "test"
    store(paper(pmid=train), paper(pmid=test))
    with pytest.raises(ValueError, match="the train split of the database: no key sentence to train on"):
        database_corpus()
    judge("Anna", 1, verdict(1), verdict(0, "reject"))
    judge("Anna", 2, verdict(1), reading())
    corpus = database_corpus()
    assert [(a.key, list(a.labels)) for a in corpus.train] == [(f"pmid:{train}", [NOT_KEY, KEY, UNLABELLED])]
    assert [(a.key, list(a.labels)) for a in corpus.test] == [(f"pmid:{test}", [NOT_KEY, KEY, NOT_KEY])]
    assert corpus.description["sources"][0]["name"] == annotate.experiments.corpora.DATABASE
    before = corpus.sha256
    judge("Anna", 1, verdict(2))
    assert database_corpus().sha256 != before


def test_a_work_of_the_database_in_two_splits_is_tested_on_and_not_trained_on(home):
    store_divided_work()
    (other,) = islice(pmids_of("train"), 1, 2)
    store(paper(pmid=other))
    for article_id in (1, 2, 3):
        judge("Anna", article_id, verdict(1))
    corpus = database_corpus()
    assert [a.key for a in corpus.train] == [f"pmid:{other}"]
    assert [a.key for a in corpus.test] == [f"pmid:{pmids('test', 1)[0]}"]
    assert corpus.description["train"]["works_left_out"] == 1
    assert "works_left_out" not in corpus.description["test"]


def test_a_work_of_the_database_under_two_ids_in_one_split_is_taken_once(home):
    title = "TP53 slows the growth of cells"
    store(paper(pmid=pmids("test", 1)[0]), *(paper(pmid=pmid, title=title) for pmid in pmids("train", 2)))
    for article_id in (1, 2, 3):
        judge("Anna", article_id, verdict(1))
    corpus = database_corpus()
    assert [a.key for a in corpus.train] == [f"pmid:{pmids('train', 1)[0]}"] and len(corpus.test) == 1
    assert corpus.description["train"]["works_left_out"] == 1


def test_an_article_of_a_file_under_another_id_is_taken_once_in_the_last_part(write):
    words = [f"Sentence {n} of an article that stands in two files under two names." for n in range(6)]
    same = {"sentences": words, "labels": [1, 0, 0, 0, 0, 0]}
    like = {"id": "g", **same, "sentences": [*words[:5], "Else."]}
    short = {"sentences": ["Short.", "As many are."], "labels": [1, 0]}
    files = {
        "train": write("train.jsonl", {"id": "a", **same}, {"id": "b", **short}, line("c")),
        "validation": write("validation.jsonl", {"id": "d", **same}, line("e")),
        "test": write("test.jsonl", {"id": "f", **short}, like, {**like, "id": "h"}),
    }
    corpus = file_corpus(files)
    assert [[a.key for a in getattr(corpus, part)] for part in PARTS] == [["b", "c"], ["e"], ["f", "g"]]
    assert [corpus.description[part].get("works_left_out") for part in PARTS] == [1, 1, 1]
