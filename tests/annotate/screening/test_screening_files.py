"""Files of articles with labels for triage: what is refused and why, and the four numbers that come out."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from annotate.cli.main import main
from annotate.screening.screening_files import TriageLine, measured, read_triage


def written(path: Path, *lines: Any) -> Path:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    opened: Any = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", encoding="utf-8") as file:
        file.write(text)
    return path


def line(title: str = "A title", abstract: str | None = "An abstract.", label: Any = 1) -> dict[str, Any]:
    return {"id": "1", "title": title, "abstract": abstract, "label": label}


def topics(number: int) -> list[dict[str, Any]]:
    """Articles of two topics in turn, of which the first is wanted."""
    texts = (
        "Cells lacking the gene grew slowly. The knockout was viable.",
        "Schools were asked about teeth. Pupils ate.",
    )
    return [line(f"Number {i}", f"{texts[i % 2]} Case {i}.", (i + 1) % 2) for i in range(number)]


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_lines_are_read_plain_and_compressed_and_blank_ones_passed_over(tmp_path, name):
    path = written(tmp_path / name, line(label=0), "", line("", "Only this", 1), line("Only that", None))
    assert read_triage(path) == [
        TriageLine("A title", "An abstract.", 0),
        TriageLine("", "Only this", 1),
        TriageLine("Only that", "", 1),
    ]


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ("{", "line 2: Expecting"),
        ("[1]", "line 2: not a JSON object"),
        ("[" * 100_000, "line 2: nests too deep"),
        (line(label="1"), 'line 2: label is "1"; it must be 0 or 1'),
        (line(label=True), "line 2: label is no whole number"),
        (line(label=2), "line 2: label is 2"),
        ({"title": "a", "abstract": "b"}, "line 2: has no label"),
        (line(title=["a"]), "line 2: title is no text"),  # type: ignore[arg-type]
        (line("", " "), "line 2: neither title nor abstract"),
    ],
)
def test_a_wrong_line_is_named_with_its_file(tmp_path, wrong, reason):
    path = written(tmp_path / "mine.jsonl", line(), wrong)
    with pytest.raises(ValueError, match=r"^mine\.jsonl, ") as found:
        read_triage(path)
    assert reason in str(found.value)


def test_damaged_and_empty_files_are_named(tmp_path):
    cut = tmp_path / "cut.jsonl.gz"
    cut.write_bytes(gzip.compress(json.dumps(line()).encode() * 100)[:-20])
    with pytest.raises(ValueError, match=r"cut\.jsonl\.gz cannot be read to its end"):
        read_triage(cut)
    with pytest.raises(ValueError, match=r"none\.jsonl holds no article"):
        read_triage(written(tmp_path / "none.jsonl", ""))


def test_the_four_numbers_of_an_order_computed_by_hand():
    found = measured([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    assert found["auroc"] == pytest.approx(3 / 4)  # of the four pairs one is the wrong way round
    assert found["average_precision"] == pytest.approx((1 + 2 / 3) / 2)
    assert found["wss_at_95"] == pytest.approx(1 - 3 / 4 - 0.05)  # three of four are read to find both
    assert found["ece"] == pytest.approx((0.1 + 0.8 + 0.3 + 0.1) / 4)
    assert measured([1, 1], [0.5, 0.6])["auroc"] is None


def test_the_order_of_lines_says_nothing_of_articles_that_are_equally_likely():
    first, last = (measured(truth, [0.5] * 100) for truth in ([1] * 50 + [0] * 50, [0] * 50 + [1] * 50))
    for found in (first, last):
        assert found["average_precision"] == pytest.approx(0.5, abs=0.12) and found["wss_at_95"] < 0.05
    assert first == measured([1] * 50 + [0] * 50, [0.5] * 100)


def test_the_command_prints_four_numbers_and_nothing_else(home, tmp_path, capsys):
    train, test = written(tmp_path / "a.jsonl.gz", *topics(40)), written(tmp_path / "b.jsonl", *topics(21))
    assert main(["triage", "evaluate", "--train", str(train), "--test", str(test), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"auroc", "average_precision", "wss_at_95", "ece"}
    assert found["auroc"] == found["average_precision"] == 1.0 and found["ece"] < 0.1
    assert main(["triage", "evaluate", "--train", str(train), "--test", str(test)]) == 0
    assert "area under the ROC curve  1.000" in capsys.readouterr().out


def test_what_cannot_be_learnt_from_is_refused_in_words(home, tmp_path, capsys):
    train = written(tmp_path / "a.jsonl", *topics(4))
    assert main(["triage", "evaluate", "--train", str(train), "--test", str(train)]) == 1
    assert "triage needs 3 articles with a key sentence and 3 without; there are 2 and 2" in capsys.readouterr().err
    signs = written(tmp_path / "signs.jsonl", *(line(title="+ - ?", abstract="", label=n % 2) for n in range(20)))
    assert main(["triage", "evaluate", "--train", str(signs), "--test", str(train)]) == 1
    assert "signs.jsonl: no title or abstract has a word" in capsys.readouterr().err
    assert main(["triage", "evaluate", "--train", str(tmp_path / "no"), "--test", str(train)]) == 1
    assert "no such file" in capsys.readouterr().err
