"""The commands search and index."""

import json

from annotate.cli.main import main
from annotate.project.home import folder
from annotate.search.index_files import NAME
from tests.support.making import paper, store


def ran(capsys, *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    told = capsys.readouterr()
    return code, told.out, told.err


def papers() -> None:
    store(
        paper(("Here we deleted TP53.", "Cells grew."), pmid="1", title="Loss of TP53", journal="Nature", year=2015),
        paper(("Yeast grows.",), pmid="2", year=2020),
    )


def test_a_search_builds_the_index_where_there_is_none_and_shows_the_words(home, capsys):
    papers()
    code, out, _ = ran(capsys, "search", "tp53 deleting")
    assert code == 0
    assert out.splitlines() == [
        "1 article",
        "",
        "pmid:1  Loss of [TP53] (Nature, 2015)",
        "  0: Here we [deleted] [TP53].",
    ]


def test_a_search_answers_in_json_by_sentence_and_year(home, capsys):
    papers()
    code, out, _ = ran(capsys, "search", "grows", "--sentences", "--since", "2016", "--limit", "5", "--json")
    found = json.loads(out)
    assert (code, found["query"], found["found"], found["any_word"]) == (0, "grows", 1, False)
    (hit,) = found["hits"]
    assert (hit["key"], hit["sentences"][0]["text"], hit["sentences"][0]["marked"]) == (
        "pmid:2",
        "Yeast grows.",
        [[6, 11]],
    )


def test_a_search_says_when_only_some_words_are_held(home, capsys):
    papers()
    code, out, _ = ran(capsys, "search", "yeast TP53")
    assert (code, out.splitlines()[0]) == (0, "2 articles hold any of the words, none holds all")


def test_a_bad_search_is_refused_with_the_place(home, capsys):
    code, _, err = ran(capsys, "search", 'deleted "TP53')
    assert code == 1
    assert err.splitlines() == [
        "error: the quotation that begins here has no end",
        'deleted "TP53',
        "        ^",
    ]


def test_the_index_is_built_and_built_anew(home, capsys):
    papers()
    for arguments, number in (((), 2), ((), 0), (("--anew",), 2)):
        code, out, _ = ran(capsys, "index", *arguments, "--json")
        found = json.loads(out)
        assert (code, found["articles_indexed"]) == (0, number)
        assert found["bytes"] > 0


def test_a_search_mends_a_damaged_index(home, capsys):
    papers()
    assert ran(capsys, "index")[0] == 0
    for path in folder(NAME).rglob("meta.json"):
        path.write_text("{")
    code, out, err = ran(capsys, "search", "yeast")
    assert (code, out.splitlines()[0]) == (0, "1 article")
    assert "it is built again" in err
