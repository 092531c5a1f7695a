"""The restricted corpora, three made-up lines each, in the form in which their owners distribute them."""

import json

import pytest

from annotate.encoders.tasks import owners_files
from annotate.encoders.tasks.registry import TASKS, why_not
from annotate.encoders.tasks.task import TEST, TRAIN, NotInstalled, Place
from annotate.project.files.packed_lines import UnreadableFile


def labels(items, part):
    return [(item.texts, item.label) for item in items.of(part)]


def test_mednli(tmp_path):
    rows = [
        {"sentence1": "He has fever.", "sentence2": f"He is {word}.", "gold_label": label, "pairID": "x"}
        for word, label in (("ill", "entailment"), ("well", "contradiction"), ("old", "neutral"))
    ]
    for part in ("train", "test"):
        (tmp_path / f"mli_{part}_v1.jsonl").write_text("\n".join(map(json.dumps, rows)))
    found = owners_files.mednli(Place((tmp_path,)))
    assert labels(found, TEST)[1] == (("He has fever.", "He is well."), "contradiction")
    assert len({item.unit for item in found.of(TRAIN)}) == 1  # one premise stays in one fold


def test_clinical_sts_with_scores_behind_and_with_scores_apart(tmp_path):
    (tmp_path / "clinicalSTS2019.test.txt").write_text("One.\tTwo.\t4.5\nThree.\tFour.\t0\nFive.\tSix.\t2\n")
    place = Place((tmp_path,))
    assert [item.label for item in owners_files.clinical_sts(place).items] == [4.5, 0, 2]
    (tmp_path / "clinicalSTS2019.test.txt").write_text("One.\tTwo.\nThree.\tFour.\nFive.\tSix.\n")
    with pytest.raises(UnreadableFile, match=r"line 1: needs two texts and a score"):
        owners_files.clinical_sts(place)
    (tmp_path / "clinicalSTS2019.test.gs.sim.txt").write_text("1\n2\n3\n")
    assert [item.label for item in owners_files.clinical_sts(place).items] == [1, 2, 3]


@pytest.mark.parametrize(
    ("task", "names", "text"),
    [
        (
            "pubmed20k",
            ("PubMed_20k_RCT/train", "PubMed_20k_RCT/test"),
            "###1\nMETHODS\tP(A|B) rose.\n\n###2\nRESULTS\tIt died.\n",
        ),
        ("pico", ("PICO_train", "PICO_test"), "###1\nP|METHODS|P(A|B) rose.\n\n###2\nO|RESULTS|It died.\n"),
    ],
)
@pytest.mark.parametrize("within", ["", "corpora"])
def test_abstracts(tmp_path, task, names, text, within):
    for name in names:
        path = tmp_path / within / f"{name}.txt"
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)
    assert why_not(TASKS[task], Place((tmp_path,))) == ""
    found = TASKS[task].load(Place((tmp_path,)))
    assert [(item.texts[0], item.unit) for item in found.of(TEST)] == [("P(A|B) rose.", "1"), ("It died.", "2")]
    assert {item.label for item in found.of(TRAIN)} in ({"METHODS", "RESULTS"}, {"P", "O"})
    path.write_text("METHODS\tNo id above.\n")
    with pytest.raises(UnreadableFile, match="line 1: needs a label and a sentence below the id"):
        TASKS[task].load(Place((tmp_path,)))


def test_bioasq_takes_the_questions_of_yes_and_no(tmp_path):
    question = {"id": "1", "type": "yesno", "body": "Is it?", "exact_answer": ["Yes"], "snippets": [{"text": "It is."}]}
    content = {"questions": [question, {"type": "list"}, question | {"id": "2", "exact_answer": "no"}]}
    for name in ("BioASQ-training6b", "6B1_golden"):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    found = owners_files.bioasq(Place((tmp_path,)))
    assert labels(found, TEST) == [(("Is it?", "It is."), "yes"), (("Is it?", "It is."), "no")]
    (tmp_path / "6B1_golden.json").write_text("{}")
    with pytest.raises(UnreadableFile, match=r"6B1_golden\.json: is not as BioASQ distributes it"):
        owners_files.bioasq(Place((tmp_path,)))


def test_bioc_claims(tmp_path):
    claims = "".join(
        f'<CLAIM PMID="{n}" QUESTION="Is it?" ASSERTION="{said}">It <B>is</B>.</CLAIM>'
        for n, said in enumerate(("YS", "NO", "YS"))
    )
    (tmp_path / "ManConCorpus.xml").write_text(f"<REVIEWS>{claims}</REVIEWS>")
    found = owners_files.bioc(Place((tmp_path,)))
    assert labels(found, TEST)[:2] == [(("Is it?", "It is."), "yes"), (("Is it?", "It is."), "no")]
    assert found.tested_on == "folds"
    (tmp_path / "ManConCorpus.xml").write_text("<REVIEWS><CLAIM/></REVIEWS>")
    with pytest.raises(UnreadableFile, match="claim 1 has no QUESTION"):
        owners_files.bioc(Place((tmp_path,)))
    (tmp_path / "ManConCorpus.xml").write_text("<REVIEWS>")
    with pytest.raises(UnreadableFile, match=r"ManConCorpus\.xml: cannot be read"):
        owners_files.bioc(Place((tmp_path,)))


def test_vaccine_tweets_need_their_texts(tmp_path):
    (tmp_path / "hpv_tweets.tsv").write_text("1\tpositive\tGood.\n2\tneutral\tA jab.\n3\tnegative\tNo.\n")
    found = owners_files.vaccine_tweets(Place((tmp_path,)))
    assert [item.label for item in found.items] == ["positive", "neutral", "negative"]
    (tmp_path / "hpv_tweets.tsv").write_text("1\tpositive\n2\tneutral\n3\tnegative\n")
    with pytest.raises(NotInstalled, match="ids and labels alone"):
        owners_files.vaccine_tweets(Place((tmp_path,)))
