"""Tags: cleaned, capped, put on and taken off with all of it kept, and found by."""

import pytest

from annotate.cli.main import main
from annotate.curation.removal import remove
from annotate.curation.tags import MAX_KNOWN, MAX_TAG, MAX_TAGS, clean_tags, known_tag, put_on, take_off
from annotate.gold.rows import gold_rows
from annotate.project.acting import Actor, acting
from annotate.project.home import read
from db.curation import Wanted, listed_ids, tags_in_use, tags_of
from tests.support.making import judge, paper, query, store, verdict

pytestmark = pytest.mark.usefixtures("home")


def borne(*article_ids: int) -> dict[int, list[str]]:
    with read() as session:
        return tags_of(session, article_ids)


@pytest.fixture
def three(home):
    store(*(paper(pmid=str(number)) for number in (1, 2, 3)))


def test_names_are_cleaned_as_those_of_document_labels():
    assert clean_tags(["  to\tread ", "TO READ", "a;b|c", "\u202eback", "", " "]) == ["to read", "a b c", "back"]
    with pytest.raises(ValueError, match="at most 40 characters"):
        clean_tags(["x" * (MAX_TAG + 1)])
    with pytest.raises(ValueError, match="at least one tag"):
        put_on([1], [" ; "])


def test_what_was_put_on_and_taken_off_is_kept_with_who_did_so(three):
    with acting(Actor("Mary", operator=True)):
        put_on([1, 2], ["to read"])
    with acting(Actor("Carl", operator=True)):
        outcome = take_off([1, 3], ["To Read"])
    assert (outcome.done, dict(outcome.left_out)) == ([1], {"not tagged so": 1})
    assert borne(1, 2, 3) == {2: ["to read"]}
    assert query("SELECT article_id, tag, is_set, done_by FROM article_tag ORDER BY id") == [
        (1, "to read", 1, "Mary"),
        (2, "to read", 1, "Mary"),
        (1, "to read", 0, "Carl"),
    ]


def test_a_tag_in_another_case_is_the_one_that_is_known(three):
    put_on([1], ["To read"])
    outcome = put_on([1, 2, 99], ["TO READ"])
    assert outcome.in_words("Tagged") == "Tagged 1 of 3 articles. Left out: 1 not stored; 1 tagged so already."
    assert borne(1, 2) == {1: ["To read"], 2: ["To read"]}


def test_a_tag_of_letters_with_marks_is_the_known_one_in_either_form_of_unicode(three):
    put_on([1], ["Mu\u0308ller"])
    assert put_on([1, 2], ["m\u00fcller"]).done == [2]
    assert borne(1, 2) == {1: ["Mu\u0308ller"], 2: ["Mu\u0308ller"]}
    with read() as session:
        assert known_tag(session, "M\u00fcller") == "Mu\u0308ller"


def test_an_article_bears_so_many_tags_and_a_project_knows_so_many(three, monkeypatch):
    put_on([1], [f"tag {number}" for number in range(MAX_TAGS)])
    outcome = put_on([1, 2], ["one more"])
    assert (outcome.done, dict(outcome.left_out)) == ([2], {"with more than 30 tags then": 1})
    monkeypatch.setattr("annotate.curation.tags.MAX_KNOWN", MAX_TAGS + 1)
    with pytest.raises(ValueError, match=f"at most {MAX_TAGS + 1} tags"):
        put_on([2], ["yet another"])
    assert put_on([3], ["One More"]).done == [3] and MAX_KNOWN > MAX_TAGS


def test_articles_are_listed_by_tag_and_removed_ones_apart(three):
    put_on([1, 2, 3], ["x"])
    remove([2])
    with read() as session:
        assert listed_ids(session, Wanted(tag="x")) == [3, 1]
        assert listed_ids(session, Wanted(tag="x", removed=True)) == [2]
        assert listed_ids(session, Wanted(tag="X'")) == []
        assert tags_in_use(session) == {"x": 2}


def test_the_gold_has_a_column_of_tags(three):
    judge("Anna", 1, verdict(0))
    put_on([1], ["b", "a"])
    with read() as session:
        assert [row["tags"] for row in gold_rows(session)] == ["b; a"]


def test_the_command_line_tags_removes_and_lists(three, capsys, tmp_path):
    (tmp_path / "ids.txt").write_text("1\n2\n77\n")
    assert main(["articles", "tag", "to read; new", str(tmp_path / "ids.txt")]) == 3
    assert borne(1, 2) == {1: ["to read", "new"], 2: ["to read", "new"]}
    assert main(["articles", "tag", "--off", "new", "2"]) == 0
    assert main(["articles", "remove", "--reason", "off topic", "1"]) == 0
    capsys.readouterr()
    assert main(["articles", "list", "--tagged", "to read", "--json"]) == 0
    assert '["pmid:2", "Article 2", "to read"]' in capsys.readouterr().out
    assert main(["articles", "remove", "--back", "1"]) == 0
    assert query("SELECT removed, reason FROM article_removal ORDER BY id") == [(1, "off topic"), (0, "")]


@pytest.mark.parametrize("command", [["articles", "list"], ["articles", "queue"], ["find", "article"]])
def test_the_command_line_takes_a_tag_in_any_case_and_refuses_an_unknown_one(three, capsys, command):
    put_on([1], ["To read"])
    main([*command, "--tagged", "TO READ"])
    assert "tagged as" not in capsys.readouterr().err
    assert main([*command, "--tagged", "to reed"]) == 1
    assert "no article was ever tagged as 'to reed'; there is To read" in capsys.readouterr().err
    assert main([*command, "--tagged", "else"]) == 1
    assert "no article was ever tagged as 'else'\n" in capsys.readouterr().err
