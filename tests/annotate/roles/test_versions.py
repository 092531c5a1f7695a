"""Versions of the model of roles: beside each other, promoted, rolled back, damaged; what a killed training leaves."""

from pathlib import Path

import pytest

from annotate.cli.main import main
from annotate.registry.versions import model_folder, promote, version_named
from annotate.roles.evaluate_roles import evaluate
from annotate.roles.model_files import compared, model_now, store_model, version_now
from annotate.roles.reading import read_articles
from db.values import Kind
from model.roles.model_folder import BadRoleModel
from tests.support.making import query
from tests.support.roles import bring_models, write_abstracts


@pytest.fixture
def two(read_home: Path, trained_later: Path) -> tuple[str, str]:
    """Two versions, the newer in use, and articles read by the older, which was there first."""
    first = version_now()
    bring_models(trained_later)
    return first, version_now()


def test_a_training_makes_a_version_beside_the_others_and_the_newest_is_used(two: tuple[str, str]) -> None:
    assert [one["version"] for one in compared()] == list(two) and two[0] != two[1]
    assert [one["in_use"] for one in compared()] == [False, True]


def test_another_version_reads_all_articles_anew(two: tuple[str, str]) -> None:
    promote(Kind.ROLES, version_named(two[0], Kind.ROLES), by="Cora")
    assert version_now() == two[0] and read_articles() == 0
    promote(Kind.ROLES, version_named(two[1], Kind.ROLES), by="Cora")
    assert read_articles() == 2
    assert query("SELECT DISTINCT version FROM article_scan WHERE kind = 'roles'") == [(two[1],)]


def test_a_damaged_version_says_what_to_do(two: tuple[str, str]) -> None:
    (model_folder(version_named(two[1], Kind.ROLES)) / "terms.npy").write_bytes(b"other")
    with pytest.raises(BadRoleModel, match=r"terms\.npy.* damaged; promote another version"):
        model_now()


@pytest.mark.postgresql
def test_figures_are_kept_by_file_beside_the_version(with_model: Path, tmp_path: Path) -> None:
    path = write_abstracts(tmp_path / "unseen.jsonl.gz", 20, seed=9)
    figures = evaluate(path)
    assert compared()[0]["evaluations"] == {"unseen.jsonl.gz": figures}
    evaluate(tmp_path / "unseen.jsonl.gz", with_seen=True)
    assert compared()[0]["evaluations"] == {"unseen.jsonl.gz": figures}
    assert model_now().version == version_now()  # and it is no damage


def test_what_a_killed_training_left_is_swept(with_model: Path) -> None:
    left = with_model / "functions" / ".training-killed"
    left.mkdir()
    (left / "terms.txt").write_text("half")
    store_model(model_now())  # the same files are the same version
    assert not left.exists() and len(compared()) == 1


def test_the_commands_list_promote_and_roll_back(two: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["functions", "promote", two[0]]) == 0 and version_now() == two[0]
    assert main(["functions", "roll-back"]) == 0 and version_now() == two[1]
    assert main(["functions", "list", "--json"]) == 0
    assert two[0] in capsys.readouterr().out
    assert main(["functions", "promote", "nothing"]) == 1
