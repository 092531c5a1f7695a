"""Articles that an earlier release split into too few sentences: found, told, and the way out of them."""

import csv
import json

import pytest
from sqlalchemy import text

import db.articles
from annotate.articles.document import Article, Paragraph, ParagraphKind, Section, SectionKind
from annotate.articles.importing import wrongly_split
from annotate.articles.importing.wrongly_split import split_wrongly
from annotate.cli.frame.common import Pages
from annotate.cli.main import main
from annotate.operations import startup_checks
from annotate.operations.server_status import server_status
from annotate.project.home import read, write
from annotate.project.rights import Right
from tests.annotate.operations.test_startup_checks import SOUND
from tests.support.making import SENTENCES, judge, paper, query, store, verdict
from tests.support.splitting import store_split_wrongly

pytestmark = pytest.mark.usefixtures("home")
CITING = ("Mice run [1].", "Rats swim.", "Voles dig.", "Shrews climb (n = 3).", "Moles rest.")
ROWS = ("Gene. One. Two.", "Gene. Three. Four.")


def found() -> list[str]:
    with read() as session:
        return split_wrongly(session)


def test_an_article_that_lacks_sentences_is_named_and_one_that_has_them_is_not():
    store_split_wrongly(paper(pmid="1"), paper(CITING, pmid="2", body=SENTENCES))
    store(paper(pmid="3"), paper(CITING, pmid="4"))
    assert query("SELECT sentence_count FROM article ORDER BY id") == [(1,), (4,), (3,), (5,)]
    assert found() == ["pmid:1", "pmid:2"]


def test_one_end_that_earlier_rules_saw_otherwise_names_no_article():
    store_split_wrongly(paper(SENTENCES[:2], pmid="1"))
    assert query("SELECT sentence_count FROM article") == [(1,)] and found() == []


def test_few_among_many_that_earlier_rules_saw_otherwise_name_no_article():
    cited = [f"Finding {number} was seen before [{number}]." for number in range(8)]
    store_split_wrongly(paper([*cited, *SENTENCES], pmid="1"))
    assert query("SELECT sentence_count FROM article") == [(9,)] and found() == []


@pytest.mark.parametrize("kind", [ParagraphKind.TABLE, ParagraphKind.FORMULA])
def test_what_is_one_sentence_on_purpose_lacks_none(kind):
    rows = tuple(Paragraph(row, kind) for row in ROWS)
    store(Article(title="Rows", pmid="1", sections=(Section("Table 1", SectionKind.BODY, rows),)))
    assert query("SELECT sentence_count FROM article") == [(2,)] and found() == []


def test_an_article_that_was_removed_by_its_key_is_named_no_more_until_it_is_back():
    store_split_wrongly(paper(title="A text without identifiers"))
    (key,) = found()
    assert key.startswith("sha256:")
    for options, keys in ((["--reason", "too few sentences"], []), (["--back"], [key])):
        assert main(["articles", "remove", *options, key]) == 0
        assert found() == keys


def looked_at(monkeypatch) -> list[int]:
    """The articles that are looked at from now on."""
    ids: list[int] = []
    ask = db.articles.paragraphs_as_split
    monkeypatch.setattr(
        db.articles, "paragraphs_as_split", lambda session, some: ids.extend(some) or ask(session, some)
    )
    return ids


def test_of_many_articles_few_are_looked_at_and_all_where_one_of_them_lacks_sentences(monkeypatch):
    monkeypatch.setattr(wrongly_split, "LOOKED_AT", 3)
    monkeypatch.setattr(wrongly_split, "AT_ONCE", 2)
    store(*(paper(pmid=str(number)) for number in range(1, 7)))
    ids = looked_at(monkeypatch)
    assert found() == [] and ids == [1, 3, 5]
    store_split_wrongly(paper(pmid="7"), paper(pmid="8"), paper(pmid="9"))
    ids.clear()
    assert found() == ["pmid:7", "pmid:8", "pmid:9"]
    assert ids == [1, 4, 7, *range(1, 10)]


def test_the_page_warns_and_looks_again_only_when_articles_went_or_came_back(monkeypatch):
    store_split_wrongly(paper(pmid="1"))
    ids = looked_at(monkeypatch)
    for options, warned in ((), True), (("--reason", "too few sentences"), False), (("--back",), True):
        assert not options or main(["articles", "remove", *options, "pmid:1"]) == 0
        for _ in range(2):
            assert any(text.startswith(startup_checks.SPLIT_SOME) for text in server_status().warnings) is warned
    assert ids == [1, 1]


def test_check_names_some_articles_in_words_and_all_for_a_program(capsys):
    store_split_wrongly(*(paper(pmid=str(number)) for number in range(1, 8)))
    (problem,), keys = startup_checks.of_stored()
    assert problem.text.startswith(
        "Too few sentences in 7 articles (pmid:1, pmid:2, pmid:3, pmid:4, pmid:5 and 2 more). "
    )
    assert not problem.refuses and keys == [f"pmid:{number}" for number in range(1, 8)]
    assert startup_checks.SPLIT_REMEDY in problem.text
    pages = Pages(options_of_run=lambda arguments: SOUND)
    assert main(["check"], pages) == 0
    assert "warnings: 1\n  Too few sentences in 7 articles" in capsys.readouterr().out
    assert main(["check", "--json"], pages) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["warnings"], said["split_wrongly"]) == ([problem.text], keys)


@pytest.mark.sqlite("files, and a schema of before")
def test_check_makes_no_database_and_brings_none_up_to_date(home):
    assert startup_checks.of_stored() == ([], []) and not home.exists()
    store_split_wrongly(paper(pmid="1"))
    with write(Right.SYSTEM) as session:
        session.execute(text("DROP TABLE article_removal"))
        session.execute(text("UPDATE alembic_version SET version_num = '0011'"))
    assert startup_checks.of_stored()[1] == ["pmid:1"]
    assert query("SELECT version_num FROM alembic_version") == [("0011",)]


@pytest.mark.sqlite("files")
def test_check_says_so_where_the_database_cannot_be_read(home):
    home.mkdir()
    (home / "keyline.sqlite").write_bytes(b"no database" * 500)
    (problem,), keys = startup_checks.of_stored()
    assert "cannot be read" in problem.text and "not a database" in problem.text and keys == []


@pytest.mark.sqlite("a PostgreSQL database belongs to no data folder")
def test_a_new_data_folder_takes_the_verdicts_on_all_other_articles(home, tmp_path, monkeypatch):
    """As docs/troubleshooting.md says, where a row of a whole paragraph would speak of each of its sentences."""
    articles = paper(pmid="1"), paper(pmid="2")
    store_split_wrongly(articles[0])
    store(articles[1])
    judge("Anna", 1, verdict(0))
    judge("Anna", 2, verdict(1))
    assert main(["articles", "remove", "--reason", "too few sentences", "pmid:1"]) == 0
    assert main(["gold", "export", str(tmp_path / "gold.csv")]) == 0
    with (tmp_path / "gold.csv").open() as file:
        assert [row["sentence"] for row in csv.DictReader(file)] == [SENTENCES[1]]
    monkeypatch.setenv("KEYLINE_HOME", str(tmp_path / "new"))
    store(*articles)
    assert main(["gold", "import", str(tmp_path / "gold.csv"), "--annotator", "Anna"]) == 0
    said = "SELECT sentence.article_id, position, value FROM verdict JOIN sentence ON sentence.id = sentence_id"
    assert query(said) == [(2, 1, "accept")]
    assert found() == []
