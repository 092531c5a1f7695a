"""Suggestions measured on reference lists: numbers by hand, what is wrong with files, the commands."""

import gzip
import json

import numpy as np
import pytest
from safetensors.numpy import save_file

from annotate.capabilities.related import train_related
from annotate.cli.main import main
from annotate.finding.library import Document
from annotate.jobs.monitor import Monitor
from annotate.project.home import write
from annotate.project.rights import Right
from annotate.proposing.encoder_versions import proposing_version, register_encoder
from annotate.proposing.encoders import write_encoder
from annotate.registry.versions import verified_folder
from annotate.related.evaluate_related import Judged, Measured, evaluate, popularity
from annotate.related.judged import Citing, Context, marks_of, read_citing, read_contexts, read_works
from annotate.related.maps import LEARNT_FILE, LearntMap
from annotate.related.pool import Pool
from annotate.related.verdicts import say
from model.encoder import load
from model.files import manifest_of
from tests.annotate.related.making import TOPICS, write_collection
from tests.support.making import query

WORDS = Measured({"words": 1.0}, {"words": 1.0}, {"words": 1.0}, 0.0, 0.0)


def judged(known=()) -> Judged:
    works = [
        Document(str(n), title, year=2000 + n) for n, title in enumerate(["sleep", "maize", "sleep maize", "wheat"])
    ]
    document = Document("D", "maize", "")
    return Judged(
        Pool(works, np.eye(4, dtype=np.float32)),
        {"D": document},
        {"D": np.array([0, 1, 0, 0], dtype=np.float32)},
        lambda texts: np.eye(4, dtype=np.float32)[: len(texts)],
        known,
    )


def test_measures_by_hand():
    told = evaluate(judged(), [Citing("D", 2002, frozenset({"1", "0", "3", "none"}))], how=WORDS)
    # in order: 1 (maize), 2 (sleep maize), 0; 3 is later, "none" no work
    assert told["q"] == pytest.approx(((1 - 0 / 3) + (1 - 2 / 3)) / 2)
    assert told["recall_at_10"] == told["recall_at_50"] == pytest.approx(2 / 3)
    assert (told["precision_at_10"], told["mrr"], told["hit_at_10"]) == (0.2, 1.0, 1.0)
    best = 1 + 1 / np.log2(3) + 1 / np.log2(4)
    assert told["ndcg_at_10"] == pytest.approx((1 + 1 / np.log2(4)) / best)


def test_an_article_whose_works_are_all_later_has_no_q_and_found_nothing():
    told = evaluate(judged(), [Citing("D", 2002, frozenset({"3"})), Citing("D", 2002, frozenset({"1"}))], how=WORDS)
    assert (told["n"], told["q"], told["recall_at_10"]) == (2, 1.0, 0.5)


def test_sentences_that_cite_nothing_of_the_pool_are_not_counted():
    contexts = [Context("D", "", "maize", frozenset({cited})) for cited in ("1", "none")]
    told = evaluate(judged(), [Citing("D", 2002, frozenset({"1"}))], contexts, how=WORDS)
    assert (told["contexts"]["n"], told["contexts"]["mrr"]) == (1, 1.0)


def test_pairs_of_an_unknown_article_are_named_and_those_without_a_grade_passed_over():
    citing = [Citing("D", 2002, frozenset({"1"}))]
    pairs = {"E": {"D": 0}, "D": {"E": 1}}
    assert evaluate(judged(), citing, related=pairs, how=WORDS)["related"]["n"] == 1
    with pytest.raises(ValueError, match=r"no pair is related \(grade above 0\)"):
        evaluate(judged(), citing, related={"D": {"E": 0}})
    with pytest.raises(ValueError, match="article X is not among the documents"):
        evaluate(judged(), citing, related={"X": {"D": 1}}, how=WORDS)


def test_pairs_are_found_by_the_lists_of_the_others_and_by_texts_alone():
    """A, that is asked about, and B and C are alike in words and meaning; the list of C holds what is near to A."""
    documents = {key: Document(key, "sleep", "") for key in "ABC"}
    one = np.array([1, 0, 0, 0], dtype=np.float32)
    held = [Citing("B", 2001, frozenset({"3"})), Citing("C", 2001, frozenset({"0"}))]
    pool = judged().pool
    collection = Judged(pool, documents, dict.fromkeys("ABC", one), lambda texts: np.empty(0), held)
    asking = [Citing("A", 2003, frozenset({"0", "1"}))]
    told = evaluate(collection, asking, related={"A": {"C": 1}})["related"]
    assert (told["n"], told["pool"], told["lists"], told["ndcg_at_10"]) == (1, 3, 3, 1.0)
    assert told["texts_alone"]["ndcg_at_10"] == pytest.approx(1 / np.log2(3))
    assert "texts_alone" not in evaluate(collection, asking, related={"A": {"C": 1}}, how=WORDS)["related"]


@pytest.mark.parametrize(("weight", "ndcg"), [(0.0, 1 / np.log2(3)), (1.0, 1.0)])
def test_pairs_are_ranked_again_by_their_sentences(weight, ndcg):
    """B and C are alike in words and meaning; C says a sentence of A again."""
    axes = {"Mice sleep.": 0, "Rats run.": 1}
    documents = {key: Document(key, "", text) for key, text in zip("ABC", (*axes, "Mice sleep."), strict=True)}

    def encode(texts):
        return np.eye(4, dtype=np.float32)[[axes[text] for text in texts]]

    one = np.array([1, 0, 0, 0], dtype=np.float32)
    collection = Judged(judged().pool, documents, dict.fromkeys("ABC", one), encode)
    how = Measured(pair_weights={"meaning": 1.0, "sentences": weight})
    told = evaluate(collection, [Citing("A", 2003, frozenset({"0"}))], related={"A": {"C": 1}}, how=how)
    assert told["related"]["ndcg_at_10"] == pytest.approx(ndcg)


def test_an_article_that_is_measured_may_not_be_among_the_known():
    known = [Citing("D", 2002, frozenset({"1"}))]
    for measure in (evaluate, popularity):
        with pytest.raises(ValueError, match="1 articles to measure on, such as D, are among the known ones"):
            measure(judged(known), known)


@pytest.mark.parametrize(
    "more", [{"contexts": [Context("PMC9", "", "maize", frozenset({"1"}))]}, {"related": {"9": {"D": 1}}}]
)
def test_sentences_and_pairs_of_articles_that_the_map_has_learnt_from_are_refused(more):
    seen = Citing("PMC9", None, frozenset(), "9")
    plain = judged()
    learnt = LearntMap("taught", np.eye(4, dtype=np.float32), frozenset(marks_of([seen])))
    behind = Judged(plain.pool, plain.documents, plain.vectors, lambda texts: np.empty(0), learnt=learnt)
    with pytest.raises(ValueError, match=r"9, are among those that the map taught was learnt from"):
        evaluate(behind, [Citing("D", 2002, frozenset({"1"}))], **more)


def test_an_article_that_is_not_among_the_documents_is_named():
    with pytest.raises(ValueError, match="article X is not among the documents"):
        evaluate(judged(), [Citing("X", 2002, frozenset({"1"}))], how=WORDS)


def test_nothing_cited_in_the_pool_is_an_error():
    with pytest.raises(ValueError, match="no article cites"):
        evaluate(judged(), [Citing("D", 2002, frozenset({"none"}))], how=WORDS)


def test_popularity_ranks_by_known_citations():
    known = [Citing("K", 2000, frozenset({"3", "2"})), Citing("L", 2000, frozenset({"3"}))]
    assert popularity(judged(known), [Citing("D", 2010, frozenset({"3"}))])["mrr"] == 1.0


@pytest.mark.parametrize(
    ("reader", "line", "reason"),
    [
        (read_citing, {"id": "D", "cites": "12"}, "cites is no list"),
        (read_citing, {"cites": ["1"]}, "has no id"),
        (read_citing, {"id": "D", "cites": ["1"], "year": 1.5}, "year is no whole number"),
        (read_works, {"pmid": "1", "title": 3}, "title is no text"),
        (read_contexts, {"article": "D", "sentence": " [CIT] ", "cites": ["1"]}, "no sentence"),
        (read_works, [1], "not a JSON object"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_name_and_line(tmp_path, reader, line, reason):
    path = tmp_path / "lines.jsonl"
    path.write_text(f"\n{json.dumps(line)}\n")
    with pytest.raises(ValueError, match=rf"lines\.jsonl, line 2: {reason}"):
        reader(path)


def test_an_article_that_stands_twice_is_refused_and_not_counted_twice(tmp_path):
    (tmp_path / "citing.jsonl").write_text('{"id": "D", "cites": ["1"]}\n{"id": "D", "cites": ["2"]}\n')
    with pytest.raises(ValueError, match=r"citing\.jsonl, line 2: the id D stands in line 1 already"):
        read_citing(tmp_path / "citing.jsonl")


def test_an_empty_file_is_refused(tmp_path):
    (tmp_path / "none.jsonl").write_text("")
    with pytest.raises(ValueError, match=r"none\.jsonl holds no rows"):
        read_works(tmp_path / "none.jsonl")


def options(paths, *names: str) -> list[str]:
    return [part for name in names for part in (f"--{name}", str(paths[name]))]


def test_the_commands_measure_learn_and_measure_again(tiny_home, tmp_path, capsys):
    paths = write_collection(tmp_path)
    files = options(paths, "citing", "docs", "works")
    more = options(paths, "contexts", "related")
    assert main(["related", "evaluate", *files, *more, "--words-alone", "--json"]) == 0
    words = json.loads(capsys.readouterr().out)
    assert (words["n"], words["works"], words["mrr"]) == (len(TOPICS), 12, 1.0)
    assert words["contexts"]["n"] == words["related"]["n"] == 1
    assert words["related"]["pool"] == 4
    settings = ["--loss", "triplet", "--epochs", "2", "--use", "--json"]
    say("Anna", "pmid:D0", "pmid:10", False, "event-1")
    say("Anna", "pmid:D0", "pmid:00", False, "event-2")  # it is cited: no negative
    assert main(["related", "train", *files, *settings]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["version"] == "related-1"
    assert made["trained_on"].items() >= {"articles": 4, "citations": 12, "not_related": 1}.items()
    assert "encoder itself is not trained" in made["learnt"]
    assert main(["related", "evaluate", *files, "--json"]) == 1
    assert "4 articles to measure on, such as D0, are among those that the map related-1" in capsys.readouterr().err
    known = tmp_path / "known.jsonl"
    known.write_text('{"id": "D3", "year": 2010, "cites": ["30"]}\n')
    assert main(["related", "use", "none"]) == 0
    assert main(["related", "evaluate", *files, "--known", str(known), "--json"]) == 1
    assert "articles to measure on, such as D3" in capsys.readouterr().err
    paths["citing"].write_bytes(gzip.compress(b'{"id": "D0", "year": 2010, "cites": ["00", "01"]}\n'))
    assert main(["related", "evaluate", *files, "--known", str(known), "--json"]) == 0
    assert {"q", "most_cited", "map"} <= json.loads(capsys.readouterr().out).keys()


def test_articles_to_measure_on_are_never_learnt_from(tiny_home, tmp_path, capsys):
    files = options(paths := write_collection(tmp_path), "citing", "docs", "works")
    assert main(["related", "train", *files, "--validation", str(paths["citing"])]) == 1
    assert "among those to measure on" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({"id": "PMC5", "pmid": "D0", "cites": ["00"]}, "among those to measure on"),
        ({"id": "X", "cites": ["00"]}, "such as X, are not among the documents"),
    ],
)
def test_what_cannot_be_measured_is_said_before_anything_is_learnt(tiny_home, tmp_path, capsys, line, reason):
    (validation := tmp_path / "validation.jsonl").write_text(json.dumps(line) + "\n")
    files = options(write_collection(tmp_path), "citing", "docs", "works")
    assert main(["related", "train", *files, "--validation", str(validation)]) == 1
    assert reason in capsys.readouterr().err
    assert query("SELECT name FROM model_version WHERE name LIKE '%related%'") == []


def test_an_encoder_that_an_earlier_release_trained_on_reference_lists_is_not_measured_on_them(
    tiny_home, tmp_path, capsys
):
    paths, parent = write_collection(tmp_path), proposing_version()
    path = write_encoder(load(verified_folder(parent), device="cpu"), "tiny-related-1")
    learnt = np.array(marks_of(read_citing(paths["citing"])), dtype=np.int64)
    save_file({"learnt_from": learnt}, str(path / LEARNT_FILE))
    with write(Right.TRAIN) as session:
        values = {"encoder": "tiny", "manifest": manifest_of(path), "parent_id": parent.id}
        register_encoder(session, path, name="tiny-related-1", **values)
    files = options(paths, "citing", "docs", "works")
    assert main(["related", "evaluate", *files, "--encoder", "tiny-related-1", "--json"]) == 1
    told = capsys.readouterr().err
    assert "the encoder tiny-related-1 was learnt from" in told and "with another encoder" in told
    assert main(["related", "evaluate", *files, "--json"]) == 0


def test_a_job_of_an_earlier_release_that_would_train_the_encoder_says_that_it_does_not(tiny_home, tmp_path):
    paths = {name: str(path) for name, path in write_collection(tmp_path).items()}
    with pytest.raises(ValueError, match="this release trains no encoder on reference lists"):
        train_related({"unfreeze": True, **paths}, Monitor(1))
