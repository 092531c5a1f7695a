"""A study that was killed and is started again: its job goes on, and the command tells how it ended."""

from pathlib import Path

import pytest

import db.rows
from annotate.cli.main import main
from annotate.project.home import read
from db.tables import Job
from tests.support.copies import COMMAND, Copy
from tests.support.corpus_files import spec_and_corpus
from tests.support.making import query
from tests.support.waiting import wait_until


def experiment_job():
    """The row of the newest experiment."""
    with read() as session:
        return db.rows.find(session, Job, kind="experiment")


@pytest.mark.sqlite("the jobs themselves are tested on PostgreSQL; here it is the command that goes on")
def test_a_killed_experiment_started_again_goes_on_and_other_work_of_the_kind_is_refused(
    tiny_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    arguments = [str(each) for each in spec_and_corpus(tmp_path, "[{name: good}]", seeds=6)]
    process = Copy(COMMAND, "experiment", *arguments, tells_errors=True)
    wait_until(lambda: query("SELECT count(*) FROM finished_run")[0][0] >= 1, 120)
    process.kill()
    process.communicate()
    assert main(["experiment", *arguments, "--seeds", "2"]) == 4
    assert "running already" in capsys.readouterr().err
    assert main(["experiment", *arguments]) == 0
    said = capsys.readouterr()
    assert "job 1 does this already" in said.err
    assert "before, 0 left, 0 failed" in said.out
    job = experiment_job()
    assert (job.id, job.state, job.attempts) == (1, "done", 2)
