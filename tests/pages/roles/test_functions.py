"""The page Functions: what came while roles were switched off is read once they are switched on."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import pages.parts.shared.job_panel
from annotate.jobs.lifecycle import cancel, enqueue
from annotate.project.stored_settings import change_settings
from annotate.registry.versions import promote, version_named
from annotate.review.sentence_roles import FunctionSettings
from annotate.roles.model_files import version_now
from annotate.work import run_job
from db.values import Kind
from tests.annotate.roles.conftest import read_home, trained_later, with_model  # noqa: F401 (fixtures)
from tests.support.making import query
from tests.support.paths import PAGES
from tests.support.roles import bring_models


def page() -> AppTest:
    run = AppTest.from_file(str(PAGES / "functions.py"), default_timeout=60)
    run.session_state["annotator"] = "Cora"
    run.run()
    assert not run.exception
    return run


def test_a_model_promoted_while_roles_are_off_reads_once_they_are_on(
    read_home: Path,  # noqa: F811 (the fixture)
    trained_later: Path,  # noqa: F811 (the fixture)
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bring_models(trained_later)
    change_settings("Cora", FunctionSettings(roles=False))
    promote(Kind.ROLES, version_named(version_now(), Kind.ROLES), by="Cora")
    assert run_job("functions", {}) == {"articles_read": 0}
    started = []
    monkeypatch.setattr(pages.parts.shared.job_panel.lifecycle, "start", lambda *asked: started.append(asked))
    run = page()
    assert not [note.value for note in run.caption if "has not read the roles" in note.value]
    run.toggle(key="roles_on").set_value(True).run()
    assert started == [("functions", {})]
    assert any("The version in use has not read the roles in 2 articles yet" in note.value for note in run.caption)
    with monkeypatch.context() as running:  # nothing is offered that runs already
        running.setattr(pages.parts.shared.job_panel.lifecycle, "reap", lambda: None)
        job_id = enqueue("functions", {})
        assert "Read them" not in [button.label for button in page().button]
    cancel(job_id)
    assert run_job("functions", {}) == {"articles_read": 2}
    assert query("SELECT DISTINCT version FROM article_scan WHERE kind = 'roles'") == [(version_now(),)]
    run.toggle(key="roles_on").set_value(False).run()
    run.toggle(key="roles_on").set_value(True).run()
    assert len(started) == 1  # nothing was left to be read


def test_another_version_is_promoted_and_rolled_back_with_the_reason_kept(
    read_home: Path,  # noqa: F811 (the fixture)
    trained_later: Path,  # noqa: F811 (the fixture)
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = version_now()
    bring_models(trained_later)
    second, started = version_now(), []
    monkeypatch.setattr(pages.parts.shared.job_panel.lifecycle, "start", lambda *asked: started.append(asked))
    run = page()
    assert run.selectbox(key="chosen_roles").options == [first]
    run.text_input(key="why_roles").set_value("fewer slips").run()
    run.button(key="promote_roles").click().run()
    assert version_now() == first and any("fewer slips" in text.value for text in run.markdown)
    assert run.button(key="back_roles").label == f"Roll back to {second}"
    run.button(key="back_roles").click().run()
    assert version_now() == second and started == [("functions", {})] * 2
    assert query("SELECT reason FROM promotion ORDER BY id") == [("promoted: fewer slips",), ("rolled back",)]
