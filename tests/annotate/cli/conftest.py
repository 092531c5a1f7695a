"""What the tests of commands share: a command run, and a version to run it on."""

import json

import pytest

from annotate.__main__ import main
from tests.support.making import (
    propose_with,
    version_without_weights,
)


@pytest.fixture
def cli(capsys):
    """Runs a command; returns its exit code, the object on stdout and the text on stderr."""

    def run(*arguments: object) -> tuple[int, dict, str]:
        capsys.readouterr()
        code = main([*map(str, arguments), "--json"])
        out, err = capsys.readouterr()
        assert out.count("\n") == 1 and out.endswith("}\n"), out
        return code, json.loads(out), err

    return run


@pytest.fixture
def version(home):
    """A proposing version without weights."""
    made = version_without_weights("tiny")
    propose_with(made)
    return made
