"""The command `topic`."""

import pytest

from annotate.__main__ import main
from annotate.topics.file import shipped
from tests.support.making import query
from tests.support.topics import SMALL, TOPIC

pytestmark = pytest.mark.usefixtures("home")


def test_topics_are_listed_shown_used_and_exported(cli, tmp_path, capsys):
    code, result, _ = cli("topic", "list")
    assert (code, result["topic"], result["sha256"], result["chosen"]) == (0, "Gene editing", TOPIC.sha256, [])
    assert [row[0] for row in result["shipped"]] == ["gene_editing", "clinical_trial_findings", "blank"]
    file = tmp_path / "sleep.yaml"
    file.write_text(SMALL)
    code, result, _ = cli("topic", "use", file)
    assert (code, result["topic"], result["changed"]) == (0, "Sleep", True)
    assert cli("topic", "use", file)[1]["changed"] is False
    assert cli("topic", "show")[1]["yaml"] == SMALL
    assert cli("topic", "show", "blank")[1]["name"] == "Blank"
    assert cli("topic", "use", "blank")[0] == cli("topic", "use", "Sleep")[0] == 0
    assert [row[0] for row in cli("topic", "list")[1]["chosen"]] == ["Sleep", "Blank", "Sleep"]
    out = tmp_path / "out.yaml"
    assert cli("topic", "export", "--out", out)[0] == 0 and out.read_text() == SMALL
    code, result, _ = cli("topic", "export", "blank", "--out", out)
    assert code == 1 and "is there already" in result["error"] and out.read_text() == SMALL
    assert cli("topic", "export", "blank", "--out", out, "--overwrite")[0] == 0
    assert out.read_text() == shipped("blank").text
    capsys.readouterr()
    assert main(["topic", "show", "blank"]) == 0
    assert capsys.readouterr().out == shipped("blank").text + "\n"


def test_a_file_is_checked_and_what_is_wrong_is_named_and_nothing_stored(cli, tmp_path):
    file = tmp_path / "sleep.yaml"
    file.write_text(SMALL)
    assert cli("topic", "check", file)[1]["kinds"] == ["Cause", "Night"]
    file.write_text(SMALL.replace("weight: 2", "weight: x"))
    for action in ("check", "use"):
        code, result, _ = cli("topic", action, file)
        assert (code, result["error"]) == (1, "sleep.yaml: cues.1.weight must be a number")
    file.write_bytes(b"\xff\xfe\x00")
    assert cli("topic", "check", file)[1]["error"] == "sleep.yaml: no text in UTF-8"
    assert cli("topic", "check", tmp_path / "none.yaml")[1]["error"].endswith("none.yaml: No such file or directory")
    assert "no topic 'dreams'" in cli("topic", "use", "dreams")[1]["error"]
    assert query("SELECT count(*) FROM topic") == [(0,)]
