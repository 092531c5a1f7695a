"""Versions of the model of roles: beside each other, promoted, rolled back, damaged; what a killed training leaves."""

import shutil
from pathlib import Path

import pytest

from annotate.cli.main import main
from annotate.functions.evaluate import evaluate
from annotate.functions.model_files import model_now, store_model, version_folder, version_now, versions
from annotate.functions.reading import read_articles
from annotate.functions.versions import compared, promote, roll_back
from model.functions.role_model import BadRoleModel
from tests.support.functions import write_abstracts
from tests.support.making import query


@pytest.fixture
def two(read_home: Path, trained_later: Path) -> tuple[str, str]:
    """Two versions, the newer in use, and articles read by the older, which was there first."""
    first = version_now()
    shutil.copytree(trained_later, read_home / "functions", dirs_exist_ok=True)
    return first, version_now()


def test_a_training_makes_a_version_beside_the_others_and_the_newest_is_used(two: tuple[str, str]) -> None:
    assert [one["version"] for one in versions()] == list(two) and two[0] != two[1]
    assert [one["in_use"] for one in compared()] == [False, True]


def test_a_promoted_version_stays_in_use_and_the_one_before_comes_back(two: tuple[str, str]) -> None:
    assert promote("Cora", two[0]) == version_now() == two[0]
    promote("Cora", two[1])
    assert read_articles() == 2
    assert query("SELECT DISTINCT version FROM article_functions") == [(two[1],)]
    assert roll_back("Cora") == version_now() == two[0]
    assert [row[0] for row in query("SELECT changed_by FROM setting WHERE name = 'function_model'")] == ["Cora"] * 3


def test_only_what_is_there_and_whole_is_promoted(two: tuple[str, str]) -> None:
    with pytest.raises(LookupError, match=two[0]):
        promote("Cora", "nothing")
    (version_folder(two[0]) / "around.npy").write_bytes(b"other")
    with pytest.raises(BadRoleModel, match=r"around\.npy"):
        promote("Cora", two[0])
    assert version_now() == two[1]


def test_a_damaged_version_says_what_to_do(two: tuple[str, str]) -> None:
    (version_folder(two[1]) / "terms.npy").write_bytes(b"other")
    with pytest.raises(BadRoleModel, match=r"terms\.npy.* damaged; promote another version"):
        model_now()


def test_a_single_version_cannot_be_rolled_back(with_model: Path) -> None:
    with pytest.raises(LookupError, match="no other version"):
        roll_back("Cora")


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
    assert not left.exists() and len(versions()) == 1


def test_the_commands_list_promote_and_roll_back(two: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["functions", "promote", two[0]]) == 0 and version_now() == two[0]
    assert main(["functions", "roll-back"]) == 0 and version_now() == two[1]
    assert main(["functions", "list", "--json"]) == 0
    assert two[0] in capsys.readouterr().out
    assert main(["functions", "promote", "nothing"]) == 1
