"""Which engine does the work: this process unless another one is asked for, which may not be installed."""

from pathlib import Path

import pytest

from annotate.cli.main import main
from annotate.engines import chosen
from annotate.engines.chosen import asked_engine, engine_of, kept_engine
from annotate.engines.engine import HERE, LostWork, NoEngine, Work
from tests.support.engine_works import Counting
from tests.support.making import query


def test_this_process_does_the_work_unless_another_engine_is_named():
    assert asked_engine("local") == {} == kept_engine({"k": 5})
    with engine_of({}) as engine:
        assert engine is HERE
        assert list(engine.map(Counting(), [2, 1])) == [0, 1, 0]
    with pytest.raises(ValueError, match="no engine 'spark'; there are local, ray"):
        asked_engine("spark")
    with pytest.raises(ValueError, match="an address is for a cluster"):
        asked_engine("local", "head:6379")


def test_no_input_is_taken_once_nobody_wants_more():
    taken = []
    inputs = (taken.append(number) or number for number in range(5))
    assert list(HERE.map(Counting(), inputs, lambda: len(taken) == 3)) == [0, 0, 1] and taken == [0, 1, 2]


def test_work_says_what_is_lost_where_it_has_nothing_to_put_in_its_place():
    with pytest.raises(LostWork, match="its process ended; what was stored stays"):
        Work().lost(1, "its process ended")


def test_a_package_that_is_missing_is_named_before_anything_begins(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(chosen, "find_spec", lambda name: None)
    with pytest.raises(NoEngine, match=r"pip install -r requirements-ray\.txt"):
        engine_of({"engine": {"name": "ray", "address": ""}})
    for command in (["propose"], ["entities", "recognise"], ["functions", "read"], ["import", str(home)]):
        assert main([*command, "--engine", "ray"]) == 1
        assert capsys.readouterr().err == f"error: {chosen.NOT_INSTALLED}\n"
    assert query("SELECT count(*) FROM job") == [(0,)]
