"""A topic learnt from sentences with labels alone, and how it is measured on another file."""

import json
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import f1_score

from annotate.active_learning.evaluate_topic import FIRST_EXAMPLES, evaluate_topic, read_articles
from annotate.cli.main import main
from annotate.project.files.packed_lines import UnreadableFile
from model.active_learning.key_sentence_ranker import KeySentenceRanker
from model.evaluation.calibration import expected_calibration_error
from tests.model.active_learning.test_wording import KEY, OTHER


def file(path: Path, *lines: dict) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def files(home, tmp_path):
    train = [{"pmid": str(n), "sentences": [KEY[n], OTHER[n]], "grades": [3, n % 3]} for n in range(7)]
    test = [{"sentences": [OTHER[n], KEY[n]], "labels": [0, 1]} for n in range(7, 10)]
    return file(tmp_path / "test.jsonl", *test), file(tmp_path / "train.jsonl", *train)


def evaluated(capsys, *arguments) -> tuple[int, dict]:
    code = main(["topics", "evaluate", *map(str, arguments), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_labels_and_full_grades_are_read_with_the_article_of_each_sentence(files):
    articles, labels = read_articles(files[1])
    assert (len(articles), articles[0], labels) == (7, [KEY[0], OTHER[0]], [[1, 0]] * 7)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"sentences": ["One."], "labels": [1, 0]}, "train.jsonl, line 1: .*2 labels for 1 sentences"),
        ({"sentences": ["One."]}, "train.jsonl, line 1: .*0 labels for 1 sentences"),
        ({"sentences": ["One."], "labels": [2]}, "train.jsonl, line 1: labels"),
        ({"labels": [1]}, "train.jsonl, line 1: has no sentences"),
        ({"sentences": [], "labels": []}, "train.jsonl holds no sentence"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(tmp_path, line, said):
    with pytest.raises(UnreadableFile, match=said):
        read_articles(file(tmp_path / "train.jsonl", line))


def test_all_sentences_of_a_file_teach_what_another_is_measured_on(files, capsys):
    code, found = evaluated(capsys, files[0], "--train", files[1])
    assert (code, found["f1"], found["average_precision"], found["arp"]) == (0, 1.0, 1.0, 1.0)
    assert (found["n"], found["key"]) == (6, 3) and 0 <= found["ece"] < 0.5


def test_the_command_has_the_figures_of_the_estimator(files, capsys):
    code, found = evaluated(capsys, files[0], "--train", files[1])
    (articles, labels), train = read_articles(files[0]), read_articles(files[1])
    ranker = KeySentenceRanker(fine_tune=True).fit(*train)
    texts, truth = list(chain(*articles)), list(chain(*labels))
    assert (code, found["f1"], found["arp"]) == (
        0,
        f1_score(truth, ranker.predict(texts)),
        ranker.score(articles, labels),
    )
    error = expected_calibration_error(ranker.predict_proba(texts)[:, 1], np.array(truth))
    assert found["ece"] == pytest.approx(error, abs=1e-4)


def test_it_tells_how_far_it_is(files):
    told = []
    for verdicts in (None, 10):
        evaluate_topic(*files, verdicts, lambda *news: told.append(news))
    *steps, last = [news for news in told if "fine-tuning" in news[0]]
    assert last[1] == last[2] > 1 and all(done < total for _, done, total in steps)
    assert [news[1:] for news in told if "examples" in news[0]] == [(draw, 5) for draw in range(5)]


def test_each_sentence_of_the_test_file_is_scored_once(files, capsys, monkeypatch):
    scored, own = [], KeySentenceRanker.decision_function
    monkeypatch.setattr(
        KeySentenceRanker, "decision_function", lambda ranker, texts: scored.extend(texts) or own(ranker, texts)
    )
    evaluated(capsys, files[0], "--train", files[1])
    assert sorted(scored) == sorted(chain(*read_articles(files[0])[0]))


def test_so_many_verdicts_are_chosen_one_batch_after_the_other(files, capsys):
    code, found = evaluated(capsys, files[0], "--train", files[1], "--verdicts", 12)
    assert (code, found["verdicts"], found["draws"], found["n"]) == (0, 12, 5, 6)
    assert found["average_precision"] > 0.8
    assert main(["topic", "evaluate", str(files[0]), "--train", str(files[1]), "--verdicts", "4"]) == 1
    assert f"it takes {FIRST_EXAMPLES} examples that count" in capsys.readouterr().err


@pytest.mark.parametrize("verdicts", [(), ("--verdicts", 12)])
def test_where_nothing_counts_there_is_no_precision(files, capsys, tmp_path, verdicts):
    test = file(tmp_path / "none.jsonl", {"sentences": OTHER[7:], "labels": [0] * len(OTHER[7:])})
    code, found = evaluated(capsys, test, "--train", files[1], *verdicts)
    assert (code, found["key"], found["average_precision"], found["arp"]) == (0, 0, None, None)
