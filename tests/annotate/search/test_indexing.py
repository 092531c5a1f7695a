"""The index job: begun after other work, which does not fail with it."""

import pytest

from annotate.jobs import lifecycle
from annotate.work import run_job
from tests.support.making import query

pytestmark = pytest.mark.usefixtures("home")


def refuse(*_: object, **__: object) -> None:
    raise OSError("no memory for another process")


def test_an_import_is_done_where_no_process_can_begin_for_the_index(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    (tmp_path / "article.txt").write_text("A title\n\nHere we deleted TP53. The cells were washed.\n")
    monkeypatch.setattr(lifecycle.subprocess, "Popen", refuse)
    result = run_job("import", {"paths": [str(tmp_path)], "recognise": True})
    assert result["counts"]["stored"] == 1 and query("SELECT count(*) FROM article") == [(1,)]
    assert query("SELECT state FROM job WHERE kind = 'import'") == [("done",)]
    others = query("SELECT kind, state, error FROM job WHERE kind <> 'import' ORDER BY id")
    assert [kind for kind, *_ in others] == ["index", "entities", "functions"]
    assert all(state == "failed" and "no memory for another process" in error for _, state, error in others)
