"""Files of judged collections: what is read of them, and how what is wrong is told."""

import gzip
import json

import pytest

from annotate.finding.judged.judged_files import read_documents, read_judgements, read_questions, read_run, run_file
from annotate.finding.question import Facet
from tests.support.paths import ROOT

SHARED = ROOT.parent / "shared" / "data"
TOPICS = """<?xml version="1.0"?>
<topics task="2019"><topic number="1"><disease>melanoma</disease><gene>BRAF (V600E)</gene></topic></topics>"""


def written(tmp_path, name, text):
    path = tmp_path / name
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    return path


@pytest.mark.parametrize("name", ["d.jsonl", "d.jsonl.gz"])
def test_documents(tmp_path, name):
    lines = [
        {"id": 1, "title": "A", "text": None, "mesh": ["B"], "year": 1999},
        {"id": "x", "text": "C", "licence": "D", "year": "2004"},
    ]
    one, other = read_documents(written(tmp_path, name, "\n\n".join(map(json.dumps, lines))))
    assert (one.key, one.title, one.text, one.mesh, one.year) == ("1", "A", "", ("B",), 1999)
    assert (other.key, other.whole, other.year) == ("x", "C", 2004)


def test_questions_have_text_or_facets_or_both(tmp_path):
    lines = [{"id": "1", "text": "why"}, {"id": "2", "gene": ["TP53", "p53"], "cell": "", "split": "dev"}]
    found = read_questions(written(tmp_path, "q.jsonl", "\n".join(map(json.dumps, lines))))
    assert found["1"].asked == "why"
    assert found["2"].facets == {"gene": (Facet("TP53", ("p53",)),)}


def test_topics_of_trec(tmp_path):
    found = read_questions(written(tmp_path, "t.xml", TOPICS))
    assert found["1"].asked == "melanoma BRAF (V600E)"
    assert list(found["1"].facets) == ["disease", "gene"]


def test_judgements_in_three_columns_with_more_behind_and_as_trec_has_them(tmp_path):
    assert read_judgements(written(tmp_path, "j.tsv", "1\ta\t7\t1222\n2\tb\t0\t0000\n")) == {
        "1": {"a": 7},
        "2": {"b": 0},
    }
    assert read_judgements(written(tmp_path, "j.qrels", "1 0 a 2\n1 0 b -1\n")) == {"1": {"a": 2, "b": -1}}


def test_a_run_is_read_as_it_was_written(tmp_path):
    path = written(tmp_path, "r.run", run_file({"1": {"b": 0.5, "a": 0.5}}))
    assert path.read_text().splitlines()[0] == "1 Q0 b 1 0.500000000 keyline"
    assert read_run(path) == {"1": {"b": 0.5, "a": 0.499999999}}


@pytest.mark.parametrize(
    ("reader", "name", "text", "told"),
    [
        (read_documents, "d.jsonl", '{"id": "1", "text": "a"}\n{"id": "2"}', "d.jsonl, line 2: neither title nor text"),
        (read_documents, "d.jsonl", '{"text": "a"}', "d.jsonl, line 1: has no id"),
        (read_documents, "d.jsonl", "[1]", "d.jsonl, line 1: not a JSON object"),
        (read_documents, "d.jsonl", "{", "d.jsonl, line 1: Expecting property"),
        (read_documents, "d.jsonl", "", "d.jsonl holds no documents"),
        (read_documents, "d.jsonl", '{"id": "1", "text": "a", "year": "x"}', "line 1: year"),
        (read_documents, "d.jsonl", '{"id": "1", "text": "a", "mesh": "x"}', "line 1: mesh"),
        (
            read_documents,
            "d.jsonl",
            '{"id": "1", "text": "a"}\n' * 2,
            "d.jsonl, line 2: the id 1 stands in line 1",
        ),
        (read_questions, "q.jsonl", '{"id": "1"}', "q.jsonl, line 1: neither text nor facets"),
        (read_questions, "q.jsonl", '{"id": "1", "gene": 3}', "q.jsonl, line 1: gene is no text"),
        (read_questions, "q.xml", "<topics><topic number='1'></topics>", "q.xml, line 1: no XML"),
        (read_questions, "q.xml", "<topics><topic><gene>A</gene></topic></topics>", "q.xml, line 1: a topic without"),
        (read_judgements, "j.tsv", "1\ta\t2\n1\tb\n", "j.tsv, line 2: 2 columns"),
        (read_judgements, "j.qrels", "1 0 a 1\n1 0 b\n", "j.qrels, line 2: needs four columns"),
        (read_judgements, "j.tsv", "1\ta\tyes\n", "j.tsv, line 1: 'yes' is no whole number"),
        (read_judgements, "j.tsv", "1\ta\t1\n1\ta\t2\n", "j.tsv, line 2: a has two grades for question 1"),
        (read_judgements, "j.tsv", f"1\ta\t1\n1\tb\t1{'0' * 400}\n", "j.tsv, line 2: the grade 1000"),
        (read_run, "r.run", "1 Q0 a 1 best keyline\n", "r.run, line 1: 'best' is no score"),
        (read_run, "r.run", "1 Q0 a 1 nan keyline\n", "r.run, line 1: 'nan' is no score"),
        (read_run, "r.run", "1 Q0 a 1 -inf keyline\n", "r.run, line 1: '-inf' is no score"),
    ],
)
def test_what_is_wrong_is_told_with_file_line_and_reason(tmp_path, reader, name, text, told):
    with pytest.raises(ValueError, match=told):
        reader(written(tmp_path, name, text))


def test_a_file_cut_off_is_told(tmp_path):
    path = tmp_path / "d.jsonl.gz"
    path.write_bytes(gzip.compress("".join(f'{{"id": {n}, "text": "a"}}\n' for n in range(999)).encode())[:-20])
    with pytest.raises(ValueError, match=r"d\.jsonl\.gz cannot be read to its end"):
        read_documents(path)


@pytest.mark.skipif(not SHARED.exists(), reason="the judged collections are not at hand")
def test_the_collections_and_the_topics_of_trec_pm_are_read():
    within = SHARED / "retrieval"
    assert len(read_documents(within / "cystic_fibrosis_docs.jsonl.gz")) == 1_239
    assert len(read_questions(within / "cystic_fibrosis_queries_dev.jsonl.gz")) == 60
    judged = read_judgements(within / "cystic_fibrosis_qrels_dev.tsv.gz")
    assert sum(map(len, judged.values())) == 3_049 and judged["1"]["139"] == 7
    assert len(read_questions(within / "trials_queries_validation.jsonl.gz")) == 1_022
    for year, topics, judgements in ((2017, 30, 22_642), (2018, 50, 22_429), (2019, 40, 18_316), (2020, 40, 7_039)):
        questions = read_questions(SHARED / "trec_pm" / f"topics{year}.xml")
        judged = read_judgements(SHARED / "trec_pm" / f"qrels-abstracts-{year}.tsv.gz")
        assert (len(questions), sum(map(len, judged.values()))) == (topics, judgements)
        assert judged.keys() <= questions.keys()
