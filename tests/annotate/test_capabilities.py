"""Each optional part can be switched off: the core imports, proposes and trains as before, without its jobs."""

from dataclasses import fields

import pytest

import annotate.work
from annotate.capabilities.capability import Capability
from annotate.capabilities.chosen import NAMES, capabilities
from annotate.jobs.kinds import KINDS
from annotate.work import HANDLERS, run_job
from tests.support.making import paper, query, store

STEPS = [each.name for each in fields(Capability) if each.name not in ("jobs", "needs", "commands", "rewritings")]


def test_each_kind_of_job_belongs_to_one_part():
    brought = [kind for each in capabilities() for kind in each.jobs]
    assert len(brought) == len(set(brought)) and set(brought) <= set(KINDS)
    assert {"import", "propose", "train", "evaluate"} == {"import", "propose", "train", "evaluate"} - set(brought)
    assert all(HANDLERS[kind] is each.jobs[kind] for each in capabilities() for kind in each.jobs)


@pytest.mark.parametrize("name", STEPS)
def test_the_core_takes_every_step_that_a_part_can_name(name, tiny_home, monkeypatch):
    taken: list[object] = []
    part = Capability(**{name: (lambda *given: taken.append(given),)})
    monkeypatch.setattr(annotate.work, "capabilities", lambda: (part,))
    store(paper(("Here we deleted TP53 in HCT116 cells.",)))
    if name == "after_training":
        annotate.work._each(lambda capability: capability.after_training, "v2")
        assert taken == [("v2",)]
        return
    run_job("import" if "proposing" not in name else "propose", {"sources": [], "propose": False})
    assert len(taken) == 1


def test_a_part_whose_need_is_off_is_refused_in_words(monkeypatch):
    monkeypatch.setattr("annotate.capabilities.chosen.NAMES", ("related",))
    with pytest.raises(RuntimeError, match="related needs finding"):
        capabilities.__wrapped__()


@pytest.mark.parametrize("off", NAMES)
def test_without_a_part_articles_are_still_proposed(off, tiny_home, monkeypatch):
    left = tuple(each for name, each in zip(NAMES, capabilities(), strict=True) if name != off)
    monkeypatch.setattr(annotate.work, "capabilities", lambda: left)
    store(paper(("Here we deleted TP53 in HCT116 cells.", "The weather was fine.")))
    result = run_job("propose", {})
    assert result["articles_proposed"] == 1
    assert query("SELECT count(*) FROM proposal") != [(0,)]
