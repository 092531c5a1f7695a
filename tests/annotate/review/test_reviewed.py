"""How much is reviewed: what people here have done, and apart from it what came with labels."""

import pytest

import db.review.verdicts
from annotate.finding.asking.standing import State, standings
from annotate.gold.import_file import import_gold
from annotate.project.home import read
from annotate.review import waiting
from annotate.review.blindness.sight import Sight
from annotate.review.waiting import reviewed
from tests.support.making import judge, reading, store_proposed, verdict


def said() -> str:
    with read() as session:
        return reviewed(session).in_words


@pytest.fixture
def labelled(home, tmp_path) -> None:
    """Three articles, the first of which came with labels for all that is proposed in it."""
    store_proposed(3)
    path = tmp_path / "gold.csv"
    with read() as session:
        rows = [(article.pmid, sentence.text) for article, sentence in _sentences(session, 1)]
    path.write_text("pmid,sentence,label\n" + "".join(f'{pmid},"{text}",1\n' for pmid, text in rows))
    import_gold(path)


def _sentences(session, article_id):
    import db.articles

    article = db.articles.article(session, article_id)
    return [(article, sentence) for sentence in db.articles.sentences(session, [article_id])]


@pytest.mark.parametrize("few", [0, waiting.FEW])
def test_imported_labels_are_no_review_and_are_counted_apart(labelled, monkeypatch, few):
    monkeypatch.setattr(waiting, "FEW", few)  # of fewer articles it asks by their ids
    assert said() == "0 of 3 reviewed, 1 more labelled at import"
    with read() as session:
        assert [standings(session, "Anna").of(number) for number in (1, 2)] == [State.LABELLED, State.WAITING]


def test_whoever_works_on_an_article_that_came_labelled_has_reviewed_it(labelled):
    judge("Anna", 1, verdict(0, "reject"), reading())
    judge("Ben", 2, reading())
    assert said() == "2 of 3 reviewed"


def test_of_what_is_withheld_only_the_own_work_is_told(labelled):
    judge("Ben", 2, reading())
    with read() as session:
        ben = db.review.verdicts.find_annotator(session, "Ben")
        anna = reviewed(session, Sight(frozenset({1, 2}), ben + 1))
        own = reviewed(session, Sight(frozenset({1, 2}), ben))
    assert (anna.here, anna.labelled, anna.total) == (frozenset(), frozenset(), 3)
    assert (own.here, own.labelled, own.total) == ({2}, frozenset(), 3)
