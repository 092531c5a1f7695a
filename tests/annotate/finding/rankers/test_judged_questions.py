"""What trained stages learn from: files, the project's own verdicts, and pairs of them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from annotate.finding.asking.saved import Asked, keep
from annotate.finding.question import Facet, Filters, Question
from annotate.finding.rankers.judged_questions import (
    NothingToLearn,
    folds_of,
    pairs_of,
    part_of,
    read_judged,
    stored_judged,
)
from annotate.project.home import write
from annotate.project.rights import Right
from db.tables import Annotator, Relevance, StoredQuestion
from tests.support.finding import ask, relevance, say
from tests.support.judged import GENES, write_collection
from tests.support.making import paper, query, store


@pytest.fixture
def judged(tmp_path: Path):
    return read_judged(*write_collection(tmp_path).values())


def test_a_collection_is_read_with_the_hashes_of_its_files(judged) -> None:
    assert sorted(judged.questions) == sorted(GENES)
    assert judged.relevant("kras") == ["kras-a549", "kras-hek293t", "kras-hela"]
    told = judged.source["files"]["judgements"]
    assert told["file"] == "qrels.tsv" and len(told["sha256"]) == 64


def test_questions_without_a_relevant_document_teach_nothing(tmp_path: Path) -> None:
    files = write_collection(tmp_path)
    files["qrels"].write_text("kras\tkras-hela\t1\ntp53\tunheard-of\t1\nmyc\tmyc-hela\t0\n")
    with pytest.raises(NothingToLearn, match="1 questions have a relevant document"):
        read_judged(*files.values())


def test_pairs_have_relevant_documents_and_so_many_others_half_of_them_hard(judged) -> None:
    hard = [("myc-hela", 3.0), ("kras-hela", 2.0), ("egfr-hela", 1.0)]
    pairs = pairs_of(judged, lambda _question, _limit: hard, negatives=2, most=1000, generator=np.random.default_rng(0))
    assert len(pairs) == 5 * 3 * 3
    assert sum(pair.label for pair in pairs) == 15
    for pair in pairs:
        assert judged.documents[pair.key]
    of_tp53 = [pair for pair in pairs if pair.asked.startswith("tp53") and not pair.label]
    assert {key for key, _ in hard} <= {pair.key for pair in of_tp53}


def test_of_verdicts_no_hard_pair_is_made_of_an_article_that_nobody_judged(judged) -> None:
    grades = {"kras": {"kras-hela": 1, "myc-hela": 0}, "tp53": {"tp53-hela": 1, "egfr-hela": 0}}
    verdicts = replace(judged.only(list(grades)), grades=grades, is_whole=False)
    nearest = [("kras-a549", 9.0), ("tp53-a549", 8.0), ("myc-hela", 7.0), ("egfr-hela", 6.0)]

    def hard(number: str, **changed: bool) -> set[str]:
        asked = replace(verdicts, **changed).only([number])
        few = replace(asked, documents={key: asked.documents[key] for key in asked.grades[number]})
        pairs = pairs_of(few, lambda *_: nearest, negatives=8, most=99, generator=np.random.default_rng(0))
        return {pair.key for pair in pairs if not pair.label}

    assert (hard("kras"), hard("tp53")) == ({"myc-hela"}, {"egfr-hela"})
    assert "kras-a549" in hard("kras", is_whole=True)  # of a collection, which was judged on purpose


def test_the_number_of_pairs_is_bounded_and_the_seed_decides_which(judged) -> None:
    def drawn(seed: int) -> list:
        return pairs_of(
            judged, lambda _question, _limit: [], negatives=4, most=15, generator=np.random.default_rng(seed)
        )

    assert len(drawn(0)) == 15 and drawn(0) == drawn(0) != drawn(1)


def test_questions_of_several_facets_are_also_asked_in_part() -> None:
    question = Question(facets={"gene": (Facet("tp53"),), "cell": (Facet("hela"),)})
    asked = {part_of(question, np.random.default_rng(seed)).asked for seed in range(30)}
    assert asked == {"tp53 hela", "tp53", "hela"}
    assert part_of(Question("free words"), np.random.default_rng(0)) == Question("free words")


def test_folds_divide_the_questions() -> None:
    folds = folds_of([str(n) for n in range(7)], 3, seed=1)
    assert sorted(name for fold in folds for name in fold) == [str(n) for n in range(7)]
    assert sorted(map(len, folds)) == [2, 2, 3]


def test_the_projects_own_verdicts_teach_by_their_majority(home: Path) -> None:
    store(*(paper(pmid=str(1000 + n)) for n in range(3)))
    keys = [key for (key,) in query("SELECT key FROM article ORDER BY id")]
    with write(Right.SYSTEM) as session:
        people = [Annotator(name=name) for name in ("Anna", "Ben", "Cora")]
        session.add_all(people)
        session.flush()
        for number, text in enumerate(("deleted genes", "growth of cells"), start=1):
            told = {"text": text, "facets": {}, "filters": {}, "stages": []}
            row = StoredQuestion(
                annotator_id=people[0].id, sha256=text, name="", question=told, saved=False, shared=False, seen_until=0
            )
            session.add(row)
            session.flush()
            said = [(0, 0, 1), (0, 0, None), (0, 0, 1), (1, 0, 0), (2, 0, 1), (0, 1, 1), (1, 1, 0)]
            for place, (who, what, grade) in enumerate(said):
                session.add(
                    Relevance(
                        event_id=f"{number}-{place}",
                        question_id=row.id,
                        annotator_id=people[who].id,
                        article_key=keys[what],
                        grade=grade,
                        given_at="2026-01-01",
                    )
                )
                session.flush()
    judged = stored_judged()
    assert sorted(each.asked for each in judged.questions.values()) == ["deleted genes", "growth of cells"]
    assert [dict(grades) for grades in judged.grades.values()] == [{keys[0]: 1}] * 2  # the second is a draw
    assert judged.documents[keys[0]].text and judged.source["verdicts"] == 10
    assert not judged.is_whole


@pytest.mark.postgresql
def test_the_same_words_are_one_question_whoever_asks_and_with_any_filter(home: Path) -> None:
    store(*(paper(pmid=str(1000 + n)) for n in range(4)))
    keys = [key for (key,) in query("SELECT key FROM article ORDER BY id")]
    question = Question("deleted genes")
    later = replace(question, filters=Filters(years=(2000, None)))
    say("Anna", keep("Anna", Asked(question, ("words",))), relevance(keys[0]), relevance(keys[3], "not"))
    say("Anna", keep("Anna", Asked(later, ())), relevance(keys[1]), relevance(keys[3]))
    say("Ben", keep("Ben", Asked(question, ())), relevance(keys[2], "not"), relevance(keys[0], "not"))
    say("Ben", ask("Ben"), relevance(keys[1]))
    judged = stored_judged()
    (number,) = [number for number, each in judged.questions.items() if each.asked == "deleted genes"]
    assert len(judged.questions) == 2
    assert judged.grades[number] == {keys[1]: 1, keys[2]: 0, keys[3]: 1}  # the first is a draw


def test_a_judgement_that_is_unsure_or_taken_back_under_another_filter_is_no_vote(home: Path) -> None:
    store(*(paper(pmid=str(1000 + n)) for n in range(4)))
    keys = [key for (key,) in query("SELECT key FROM article ORDER BY id")]
    question = Question("deleted genes")
    later = replace(question, filters=Filters(years=(2000, None)))
    say("Anna", keep("Anna", Asked(question, ())), *(relevance(key) for key in keys))
    again = [relevance(keys[0], "unsure"), relevance(keys[1], "not"), relevance(keys[2], "")]
    say("Anna", keep("Anna", Asked(later, ())), *again)
    say("Ben", ask("Ben"), relevance(keys[1]))
    judged = stored_judged()
    assert [dict(grades) for grades in judged.grades.values()] == [{keys[1]: 0, keys[3]: 1}, {keys[1]: 1}]
    assert judged.source["verdicts"] == 3


@pytest.mark.postgresql
def test_without_verdicts_there_is_nothing_to_learn(home: Path) -> None:
    with pytest.raises(NothingToLearn, match="0 questions"):
        stored_judged()
