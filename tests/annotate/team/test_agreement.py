"""What counts as said by two annotators, and the agreement that follows: by pair, by article and over time."""

import json
from datetime import date

import pytest

from annotate.active_learning.queue import hand_out
from annotate.articles.table_files import csv_text
from annotate.cli.main import main
from annotate.gold.import_file import import_gold
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.project.stored_settings import change_settings
from annotate.review.queue_settings import QueueSettings
from annotate.team.adjudication import adjudicate
from annotate.team.agreement import team_agreement
from annotate.team.opinions import shared_articles, units_of
from db.tables import Verdict
from tests.support.making import SENTENCES, judge, paper, query, reading, store, store_proposed, verdict
from tests.support.queueing import begin

pytestmark = pytest.mark.usefixtures("home")


def articles(number: int = 1, size: int = 1) -> None:
    """Articles of 3 sentences, or as many times more; their ids are 1, 2, ..."""
    store(*(paper(SENTENCES * size, pmid=str(pmid)) for pmid in range(1, number + 1)))


def labels(*, imported: bool = True) -> dict[tuple[int, int], str]:
    """The units as {(article, position): "ab" with 1 or 0 of each annotator by id}."""
    positions = {row[0]: (row[1], row[2]) for row in query("SELECT id, article_id, position FROM sentence")}
    with read() as session:
        units = units_of(shared_articles(session), imported=imported)
    return {positions[u.sentence_id]: "".join(str(u.labels[who]) for who in sorted(u.labels)) for u in units}


def test_a_unit_has_two_labels_and_unsure_is_none():
    articles()
    judge("Anna", 1, verdict(0), verdict(1, "reject"), verdict(2, "unsure"))
    judge("Ben", 1, verdict(0, "reject"), verdict(1, "unsure"), verdict(2))
    judge("Chloe", 1, verdict(1, "reject"))
    assert labels() == {(1, 0): "10", (1, 1): "00"}
    with read() as session:
        assert team_agreement(session).unsure == {"Anna": (1, 3), "Ben": (1, 3), "Chloe": (0, 1)}


def test_the_latest_verdict_counts_and_a_withdrawn_one_does_not():
    articles()
    judge("Anna", 1, verdict(0), verdict(1))
    judge("Ben", 1, verdict(0, "reject"), verdict(1))
    judge("Ben", 1, verdict(0, "accept"), verdict(1, "withdrawn"))
    assert labels() == {(1, 0): "11"}


def test_whoever_read_in_full_passed_over_what_another_judged():
    articles()
    judge("Anna", 1, verdict(0), verdict(1, "reject"), verdict(2, "unsure"))
    judge("Ben", 1, reading())
    # Nobody gave sentence 2 a label; what Ben took back he left unjudged.
    assert labels() == {(1, 0): "10", (1, 1): "00"}
    judge("Ben", 1, verdict(0))
    assert labels() == {(1, 0): "11", (1, 1): "00"}
    judge("Ben", 1, verdict(0, "withdrawn"))
    assert labels() == {(1, 0): "10", (1, 1): "00"}
    judge("Ben", 1, reading(False))
    assert labels() == {}


def test_sentences_that_nobody_judged_are_no_units():
    articles()
    judge("Anna", 1, verdict(0), reading())
    judge("Ben", 1, reading())
    assert labels() == {(1, 0): "10"}


def test_decisions_of_adjudicators_never_count():
    articles()
    judge("Anna", 1, verdict(0))
    judge("Ben", 1, verdict(0, "reject"))
    number, seen = query("SELECT sentence_id, max(id) FROM verdict GROUP BY sentence_id")[0]
    adjudicate("Carla", 1, number, "accept", seen=seen, event_id="decision")
    assert labels() == {(1, 0): "10"}
    with read() as session:
        assert list(team_agreement(session).unsure) == ["Anna", "Ben"]


def test_articles_of_one_annotator_are_left_alone():
    articles(2)
    judge("Anna", 1, verdict(0))
    judge("Anna", 2, verdict(0))
    judge("Ben", 2, verdict(1))
    with read() as session:
        assert list(shared_articles(session)) == [2]
        found = team_agreement(session)
    assert (found.overall.units, found.overall.alpha.value, found.handed) == (0, None, None)
    assert (found.pairs, found.articles, found.periods) == ([], [], [])


def test_what_only_one_person_said_makes_nobody_compute_anew():
    store_proposed(2)
    judge("Anna", 1, verdict(0))
    judge("Ben", 1, verdict(0))
    with read() as session:
        before = team_agreement(session)
    judge("Anna", 2, verdict(0))
    with read() as session:
        assert team_agreement(session) is before
    judge("Ben", 2, verdict(0, "reject"))
    with read() as session:
        assert team_agreement(session).overall.articles == 2


def test_what_is_remembered_follows_every_new_word():
    """Equal to what a process that starts anew reads, after each of many events."""
    from annotate.team import opinions

    articles(3)
    steps = [
        ("Anna", 1, [verdict(0), verdict(1)]), ("Ben", 1, [verdict(0, "reject")]), ("Ben", 2, [verdict(2)]),
        ("Anna", 2, [reading()]), ("Ben", 1, [verdict(0, "withdrawn")]), ("Anna", 2, [reading(False)]),
        ("Anna", 1, [verdict(0, "withdrawn"), verdict(1, "withdrawn")]), ("Ben", 1, [verdict(1), reading()]),
    ]  # fmt: skip
    for annotator, article_id, events in steps:
        judge(annotator, article_id, *events)
        with read() as session:
            kept = shared_articles(session)
            opinions._articles.forget()
            assert kept == shared_articles(session), (annotator, article_id, events)
    store(paper((*SENTENCES, "One more was found."), ("And a body.",), pmid="2"))  # the text that Anna read has grown
    with read() as session:
        kept = shared_articles(session)
        opinions._articles.forget()
        assert kept == shared_articles(session)


def test_the_coefficients_by_pair_and_by_article():
    articles(2, size=2)
    # Of 12 sentences Anna and Ben both say: 4 both key, 2 Anna alone, 1 Ben alone, 5 neither.
    anna, ben = (1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0), (1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0)
    for name, said in (("Anna", anna), ("Ben", ben)):
        for article_id in (1, 2):
            events = [verdict(p, "accept" if said[6 * article_id - 6 + p] else "reject") for p in range(6)]
            judge(name, article_id, *events)
    judge("Zoe", 1, verdict(0), verdict(4, "reject"))
    with read() as session:
        found = team_agreement(session)
    first, with_zoe, _ = found.pairs
    assert (first.first, first.second, first.found.table) == ("Anna", "Ben", ((5, 1), (2, 4)))
    # Observed 9/12, by chance (6 * 5 + 6 * 7) / 144.
    assert first.found.cohen.value == pytest.approx((0.75 - 0.5) / 0.5)
    assert first.low
    assert (with_zoe.first, with_zoe.second, with_zoe.found.units, with_zoe.low) == ("Anna", "Zoe", 2, False)
    assert (found.overall.units, found.overall.articles) == (12, 2)
    assert [(row.article_id, row.units, row.differing, row.low) for row in found.articles] == [
        (2, 6, 3, True), (1, 6, 0, False),
    ]  # fmt: skip
    assert found.articles[0].annotators == ("Anna", "Ben")
    # Article 2: of 12 labels 3 are key, 6 of 12 coincidences differ.
    assert found.articles[0].alpha == pytest.approx(1 - 11 * 6 / (2 * 3 * 9))
    assert found.articles[1].alpha == 1.0


def test_the_share_that_the_queue_handed_to_each():
    store_proposed(3)
    change_settings("Mary", QueueSettings(strategy="score", random_share=0, blind_share=0, double_share=1))
    handed = hand_out("Anna").article_id
    assert hand_out("Ben").article_id == handed
    other = next(number for number in (1, 2, 3) if number != handed)
    for name in ("Anna", "Ben"):
        judge(name, handed, verdict(0), verdict(1))
        judge(name, other, verdict(0), verdict(1))
    with read() as session:
        assert team_agreement(session).handed == 0.5


def test_imported_annotators_can_be_left_out(tmp_path):
    articles(2)
    rows = [("1", SENTENCES[0], "1"), ("1", SENTENCES[1], "0"), ("2", SENTENCES[0], "1")]
    (tmp_path / "gold.csv").write_text(csv_text(("pmid", "sentence", "label"), rows))
    import_gold(tmp_path / "gold.csv", "Curie")
    judge("Anna", 1, verdict(0, "reject"))
    judge("Ben", 1, verdict(0), reading())
    judge("Anna", 2, verdict(0))
    by_name = {name: number for number, name in query("SELECT id, name FROM annotator")}
    assert by_name["Curie"] < by_name["Anna"] < by_name["Ben"]
    assert labels() == {(1, 0): "101", (1, 1): "00", (2, 0): "11"}
    # Ben passed over what only the file judged, and has nobody beside him there.
    assert labels(imported=False) == {(1, 0): "01"}
    with read() as session:
        assert [(p.first, p.second) for p in team_agreement(session, imported=False).pairs] == [("Anna", "Ben")]
        assert len(team_agreement(session).pairs) == 3


def stored(article_id: int, day: str) -> None:
    """Lets all that was said of an article have been stored on that day."""
    with write(Right.SYSTEM) as session:
        session.query(Verdict).filter_by(article_id=article_id).update({"stored_at": f"{day}T12:00:00.000Z"})


@pytest.mark.parametrize(
    ("last", "starts", "by_month"),
    [("2025-01-15", [date(2025, 1, 6), date(2025, 1, 13)], False),
     ("2025-09-15", [date(2025, 1, 1), date(2025, 9, 1)], True)],
)  # fmt: skip
def test_time_goes_by_weeks_or_by_months_if_it_is_long(last, starts, by_month):
    articles(6)
    for number in range(1, 7):
        judge("Anna", number, verdict(0), verdict(1), verdict(2, "reject"))
        judge("Ben", number, verdict(0), verdict(1, "reject" if number == 6 else "accept"), verdict(2, "reject"))
        stored(number, last if number == 6 else "2025-01-12" if number > 2 else "2025-01-06")
    with read() as session:
        found = team_agreement(session)
    assert ([period.start for period in found.periods], found.by_month) == (starts, by_month)
    assert [period.found.units for period in found.periods] == [15, 3]
    assert [period.found.percent.value for period in found.periods] == [1.0, pytest.approx(2 / 3)]
    assert found.periods[0].found.alpha.low == 1.0
    assert found.periods[1].found.alpha.low is None  # one article


def test_the_command_tells_the_same(capsys):
    articles(2, size=2)
    for number in (1, 2):
        judge("Anna", number, *(verdict(p, "accept" if p % 2 else "reject") for p in range(6)))
        judge("Ben", number, *(verdict(p, "accept" if p % 2 == number - 1 else "reject") for p in range(6)))
    assert main(["agreement", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["units"], told["articles"], told["disputed_sentences"], told["disputed_articles"]) == (12, 2, 6, 1)
    assert told["pairs"][0]["cohen_kappa"]["value"] == 0.0
    assert [row["article_id"] for row in told["low_articles"]] == [1]
    assert main(["agreement", "--without-imported"]) == 0
    words = capsys.readouterr().out
    assert "12 sentences of 2 articles with labels of two or more" in words
    assert "low: article 1, alpha -0.833, 6 of 6 differ: Article 1" in words
    assert "6 disputed sentences in 1 article" in words


def test_only_what_was_said_before_the_release_counts_and_is_remembered_so(capsys):
    begin(2, double_share=1)
    judge("Anna", 1, verdict(0), verdict(1))
    judge("Ben", 1, verdict(0), verdict(1, "reject"))
    with read() as session:
        before = team_agreement(session)
    judge("Ben", 1, verdict(1), reading())
    judge("Anna", 1, verdict(2), reading(), verdict(0, "reject"), verdict(1, "withdrawn"))
    with read() as session:
        after = team_agreement(session)
        assert team_agreement(session) is after
        assert len(units_of(shared_articles(session))) == 3  # disputes go by what is said now
    assert (before.overall.percent.value, before.late) == (0.5, 0)
    assert (after.overall, after.pairs, after.articles, after.late) == (
        before.overall,
        before.pairs,
        before.articles,
        4,
    )
    assert main(["agreement"]) == 0
    told = capsys.readouterr().out
    assert "left out as not blind, since given after the others' were shown: 4 verdicts" in told
    assert main(["agreement", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["left_out_as_not_blind"] == 4


def test_the_command_on_an_empty_database(capsys):
    assert main(["agreement"]) == 0
    assert "krippendorff alpha    undefined" in capsys.readouterr().out


def test_two_names_that_differ_in_capitals_are_one_pair():
    store(paper(pmid="1"), paper(pmid="2"))
    for name, article_id in (("Anna", 1), ("anna", 1), ("anna", 2), ("Anna", 2)):
        judge(name, article_id, verdict(0), verdict(1))
    with read() as session:
        (pair,) = team_agreement(session).pairs
    assert {pair.first, pair.second} == {"Anna", "anna"} and pair.found.units == 4
