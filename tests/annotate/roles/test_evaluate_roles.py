"""Figures by what a file holds; what the model was trained on is left out; bad files are named."""

import gzip
import json
import re
from pathlib import Path

import pytest

from annotate.project.files.packed_lines import UnreadableFile
from annotate.roles.encoder_reader import EncoderChoice
from annotate.roles.evaluate_roles import evaluate
from annotate.roles.labelled import Labelled, read_labelled, structured_abstracts
from annotate.roles.train_roles import train
from model.sentence_roles import ROLES
from tests.support.roles import abstracts, learn_quickly, write_abstracts


def lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_articles_give_accuracy_and_retrieval(with_model: Path, tmp_path: Path) -> None:
    figures = evaluate(write_abstracts(tmp_path / "unseen.jsonl.gz", 12, seed=3))
    assert figures["articles"] == 12 and figures["articles_trained_on"] == 0
    assert {"p_at_1", "map_at_r", "accuracy", "weighted_f1"} <= set(figures)
    assert figures["accuracy"] > 0.9 and figures["p_at_1"] > 0.9


def test_labels_that_are_no_roles_are_left_out_of_accuracy(with_model: Path, tmp_path: Path) -> None:
    row = {"sentences": ["We measured sleep.", "Sleep increased by 12%.", "Hello.", "Bye."],
           "roles": ["METHOD", "RESULT", "OTHER", "METHOD"]}  # fmt: skip
    assert evaluate(lines(tmp_path / "cs.jsonl", row))["sentences_of_other_labels"] == 1
    other = {"sentences": ["We measured sleep.", "Mice slept."], "roles": ["POPULATION", "POPULATION"]}
    assert "accuracy" not in evaluate(lines(tmp_path / "piboso.jsonl", other))


def test_triplets_and_single_sentences_are_told_by_their_keys(with_model: Path, tmp_path: Path) -> None:
    triplet = {"sentence": "We measured sleep.", "same": "We measured yeast.", "other": "Sleep increased by 12%."}
    assert evaluate(lines(tmp_path / "t.jsonl", triplet)) == {"triplet_accuracy": 1.0, "triplets": 1}
    rows = [{"sentence": f"We measured {one}.", "function": "measuring"} for one in ("sleep", "yeast")]
    assert evaluate(lines(tmp_path / "f.jsonl", *rows))["p_at_1"] == 1


def test_articles_that_the_model_was_trained_on_are_left_out(with_model: Path, tmp_path: Path) -> None:
    both = tmp_path / "both.jsonl.gz"
    with gzip.open(both, "wt") as out:
        out.writelines(json.dumps(row) + "\n" for row in (*abstracts(80), *abstracts(5, seed=8)))
    assert evaluate(both)["articles_trained_on"] > 70
    with pytest.raises(UnreadableFile, match="trained on all 80"):
        evaluate(write_abstracts(tmp_path / "same.jsonl.gz"))
    assert evaluate(tmp_path / "same.jsonl.gz", with_seen=True)["articles"] == 80


GOOD = '{"sentences": ["We slept."], "roles": ["METHODS"]}\n'
TRIPLET = '{"sentence": "We slept.", "same": "We ate.", "other": "It rose."}\n'


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("text", "reason"),
    [("", " holds no rows"), ("[1]\n", ", line 1: not a JSON object"), (GOOD + "\n{", ", line 3: Expecting"),
     ('{"a": 1}\n', ": needs sentences"),
     (GOOD + '{"sentences": ["a"], "roles": []}\n', ", line 2: needs as many roles"),
     (GOOD + '{"sentences": [1], "roles": ["METHODS"]}\n', ", line 2: sentences[0] is no text"),
     (TRIPLET + '{"sentence": "We slept.", "same": 1}\n', ", line 2: same is no text"),
     ('{"sentence": "We slept.", "function": "a"}\n{"sentence": "We ate."}\n', ", line 2: has no function"),
     ('{"sentence": "We slept.", "function": "a"}\n', ": no two sentences share a label")],
)  # fmt: skip
def test_a_bad_file_is_named_with_the_line_and_the_reason(
    with_model: Path, tmp_path: Path, text: str, reason: str, packed: bool
) -> None:
    path = tmp_path / ("bad.jsonl.gz" if packed else "bad.jsonl")
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    with pytest.raises(UnreadableFile, match=rf"^{re.escape(path.name + reason)}"):
        evaluate(path)


def test_a_file_that_is_not_there_or_no_text_is_named(with_model: Path, tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"no such file.*none\.jsonl"):
        evaluate(tmp_path / "none.jsonl")
    with pytest.raises(UnreadableFile, match="cannot be read: Is a directory"):
        evaluate(tmp_path)
    (tmp_path / "latin.jsonl").write_bytes(GOOD.encode() + b"\xe9\n")
    with pytest.raises(UnreadableFile, match=r"latin\.jsonl, line 2, cannot be read"):
        evaluate(tmp_path / "latin.jsonl")
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(GOOD.encode() * 99)[:40])
    with pytest.raises(UnreadableFile, match=r"cut\.jsonl\.gz cannot be read to its end"):
        evaluate(tmp_path / "cut.jsonl.gz")


def test_training_leaves_out_what_it_is_told_to(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learn_quickly(monkeypatch)
    all_of_it = write_abstracts(tmp_path / "all.jsonl.gz", 80)
    some = write_abstracts(tmp_path / "some.jsonl.gz", 20)
    assert train([all_of_it], left_out=[some])["left_out"] >= 20
    with pytest.raises(ValueError, match="at least 50"):
        train([some])
    with pytest.raises(ValueError, match="must be one of"):
        EncoderChoice("embedded", loss="hinge")


def test_a_hash_of_the_content_stays_however_the_text_is_split() -> None:
    one = Labelled(("We slept. Then we woke.",), ("METHODS",))
    assert one.content_hash == Labelled(("We slept.", "Then we woke."), ("METHODS", "METHODS")).content_hash


def test_the_abstracts_that_come_along_have_all_five_roles() -> None:
    found = structured_abstracts()
    assert len(found) > 4_000
    assert {label for one in found for label in one.labels} == set(ROLES)


def test_shared_files_are_read(shared_roles: Path) -> None:
    assert len(read_labelled(shared_roles)) == 547


@pytest.fixture
def shared_roles() -> Path:
    from tests.support.paths import ROOT

    path = ROOT.parent / "shared/data/rhetoric/roles_pubmed_validation.jsonl.gz"
    if not path.exists():
        pytest.skip("the shared data on rhetoric is not here")
    return path


def test_a_packed_file_that_is_damaged_within_is_named(tmp_path: Path) -> None:
    path = write_abstracts(tmp_path / "torn.jsonl.gz")
    content = bytearray(path.read_bytes())
    content[40:200] = bytes(160)
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match=r"torn\.jsonl\.gz cannot be read"):
        read_labelled(path)
