"""The commands of saved searches and of Europe PMC."""

import pytest

from annotate.cli.finding import saved_searches
from annotate.finding.asking.saved import save
from annotate.finding.library import Document
from annotate.finding.outside.service import Outside
from tests.support.finding import ask, index, relevance, say
from tests.support.making import paper, query, store

pytestmark = pytest.mark.usefixtures("home")


def test_what_is_new_is_listed_until_it_is_seen(cli):
    store(paper(pmid="1"))
    mine = ask("Anna")
    save("Anna", mine, "Loss of p53")
    store(paper(pmid="2", title="Another one"))
    index()
    code, result, _ = cli("find", "saved", "--who", "Anna", "--seen")
    (search,) = result["searches"]
    assert (code, search["name"], search["new"]) == (0, "Loss of p53", [{"key": "pmid:2", "title": "Another one"}])
    assert cli("find", "saved", "--who", "Anna")[1]["searches"][0]["new"] == []
    assert cli("find", "saved", "--who", "Ben")[1]["searches"] == []


def test_what_is_new_is_listed_for_a_search_without_plain_words(cli):
    save("Anna", ask("Anna", "year:2020..", named=False), "Recent ones")
    store(paper(pmid="1", year=2010), paper(pmid="2", year=2021))
    index()
    (search,) = cli("find", "saved", "--who", "Anna")[1]["searches"]
    assert [each["key"] for each in search["new"]] == ["pmid:2"]


def test_results_and_judgements_go_out_and_come_in(cli, tmp_path):
    store(paper(pmid="1"), paper(pmid="2"))
    index()
    mine = ask("Anna")
    say("Anna", mine, relevance("pmid:2"), relevance("pmid:77", "not"))
    written = {}
    for kind in ("csv", "ris", "run", "qrels"):
        out = tmp_path / kind
        assert cli("find", "export", mine, "--who", "Anna", "--format", kind, "--out", out)[0] == 0
        written[kind] = out.read_text()
    assert written["qrels"] == f"{mine} 0 pmid:2 1\n{mine} 0 pmid:77 0\n"
    assert len(written["run"].splitlines()) == 2 and written["ris"].count("TY  - JOUR") == 2
    code, result, _ = cli("find", "export", mine, "--who", "Anna", "--out", tmp_path / "csv")
    assert code == 1 and "is there already" in result["error"]
    code, result, _ = cli("find", "export", mine, "--who", "Ben", "--out", tmp_path / "new")
    assert code == 1 and "no search" in result["error"] and not (tmp_path / "new").exists()

    theirs = ask("Ben")
    (tmp_path / "q").write_text("1 0 1 1\n1 0 2 0\n")
    assert cli("find", "judgements", tmp_path / "q", "--question", theirs, "--who", "Ben")[1]["judgements"] == 2
    (tmp_path / "q").write_text("1 0 1\n")
    code, result, _ = cli("find", "judgements", tmp_path / "q", "--question", theirs, "--who", "Ben")
    assert code == 1 and result["error"].startswith("q, line 1: needs four columns")


def test_europe_pmc_is_searched_and_nothing_is_imported(cli, monkeypatch):
    documents = [Document("pmid:1", "Loss of TP53", "It grew."), Document("pmid:2", "Something else", "", article_id=7)]
    outside = Outside(documents, 99, {"pmid:2": 7}, {"pmid:1": "1"}, ["x is neither a PMID, PMCID nor DOI"])
    monkeypatch.setattr(saved_searches, "search_outside", lambda text, most: outside)
    monkeypatch.setattr(saved_searches, "STAGES", ("words",))
    code, result, _ = cli("find", "outside", "TP53")
    assert (code, result["total"], result["problems"]) == (0, 99, ["x is neither a PMID, PMCID nor DOI"])
    assert [(each["key"], each["here"]) for each in result["results"]] == [("pmid:1", False), ("pmid:2", True)]
    assert query("SELECT count(*) FROM article") == [(0,)]
