"""What shells are told, to complete commands."""

import subprocess

import pytest

from annotate.cli.completion import SHELLS
from annotate.cli.main import main

ASKED = """
source /dev/stdin
COMP_WORDS=({words} "") COMP_CWORD={count}
_shtab_keyline
echo "${{COMPREPLY[@]}}"
"""


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_gets_a_script_that_names_all_commands(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(word in script for word in ("keyline", "verify-backup", "freeze", "saved"))


@pytest.mark.parametrize(("words", "found"), [("keyline", "verify-backup"), ("keyline gold", "freeze")])
def test_bash_completes(words: str, found: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["completion", "bash"])
    code = ASKED.format(words=words, count=len(words.split()))
    command = ["bash", "--norc", "-c", code]
    done = subprocess.run(command, input=capsys.readouterr().out, capture_output=True, text=True, check=True)
    assert found in done.stdout.split()
