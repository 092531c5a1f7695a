"""Results that are stored: read once a change, and set beside one another only where that says something."""

from typing import Any

import pytest

from annotate.encoders import results
from annotate.encoders.results import Result, all_results, store
from annotate.encoders.sources import with_cut
from annotate.encoders.table import cells_of, rows_of

pytestmark = pytest.mark.usefixtures("home")
SUMS = {"accuracy": [[1.0, 1.0], [0.0, 1.0]]}


def result(encoder: str, **more: Any) -> Result:
    told: dict[str, Any] = {
        "key": encoder, "source": encoder, "source_sha256": encoder, "words": False, "task": "rqe",
        "classifier": "logistic", "paired_sha256": "same", "tested_on": "test", "trained_on": 100, "tested": 2,
        "full": False, "floor": {}, "sums": SUMS, "created_at": "2026-01-01T00:00:00.000Z",
    }  # fmt: skip
    return Result(**(told | more))


def test_a_file_is_read_once_until_it_is_written_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    store(result("a"))
    store(result("b"))
    assert [each.source for each in all_results()] == ["a", "b"]
    read: list[Any] = []
    parse = results.json_of
    monkeypatch.setattr(results, "json_of", lambda path: read.append(path.stem) or parse(path))
    assert [each.source for each in all_results()] == ["a", "b"] and read == []
    store(result("b", source="another"))
    assert [each.source for each in all_results()] == ["a", "another"] and read == ["b"]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({}, ""),
        ({"trained_on": 50}, "learnt from 50 items, the first row from 100"),
        ({"paired_sha256": "other"}, "tested on other items than the first row"),
    ],
)
def test_a_difference_is_told_where_only_the_encoders_differ_and_else_why_not(more: dict[str, Any], why: str) -> None:
    rows = rows_of([result("a"), result("b", **more)], {})
    found = rows[1]["tasks"]["rqe"]
    assert found.get("not_comparable", "") == why
    assert ("difference" in found["measures"]["accuracy"]) is (why == "")
    (told,) = [text for heading, text in cells_of(rows)[1].items() if heading.startswith("RQE")]
    assert told.endswith(f"({why})" if why else ") 0.000")


def test_units_of_another_number_are_no_error_of_the_page() -> None:
    odd = result("b", sums={"accuracy": [[1.0, 1.0]]})
    assert odd.change_from(result("a"), "accuracy") is None


def test_a_score_of_another_package_has_no_interval() -> None:
    rows = rows_of([result("a", task="mteb:BIOSSES", sums={}, score=0.8125)], {})
    assert rows[0]["tasks"]["mteb:BIOSSES"]["measures"] == {"main_score": {"value": 0.8125}}
    assert cells_of(rows)[0]["mteb:BIOSSES, main score"] == "0.812"


def test_what_was_stored_of_an_encoder_from_outside_before_its_cut_counted_gives_way(home: Any) -> None:
    store(result("there", source_sha256="files"))
    store(result("version", source_sha256="files"))
    assert len(all_results()) == 2
    store(result("now", source="there", source_sha256=with_cut("files")))
    assert [each.key for each in all_results()] == ["now", "version"]
