"""A data folder with a model of roles, made once, and an article with text in parts."""

import shutil
from pathlib import Path

import pytest

from annotate.functions.train import train
from tests.support.functions import small_model, write_abstracts
from tests.support.making import paper, store

ABSTRACT = (
    "Little is known about sleep.",
    "We sought to understand sleep.",
    "We measured sleep.",
    "Sleep increased by 12%.",
)
BODY = ("We found that asthma was significantly higher.", "Samples of yeast were collected.")


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a model that was learnt from made-up abstracts."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("trained")
        patch.setenv("KEYLINE_HOME", str(home))
        small_model(home)
    return home / "functions"


@pytest.fixture(scope="session")
def trained_later(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of another one, learnt later."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("later")
        patch.setenv("KEYLINE_HOME", str(home))
        train([write_abstracts(home / "other.jsonl.gz", 90, seed=5)])
    return home / "functions"


@pytest.fixture
def with_model(home: Path, trained: Path) -> Path:
    """A data folder with that model, without articles."""
    shutil.copytree(trained, home / "functions")
    return home


@pytest.fixture
def read_home(with_model: Path) -> Path:
    """The same with two articles whose sentences' roles were read."""
    from annotate.functions.reading import read_articles

    store(paper(ABSTRACT, BODY, pmid="1", title="One"), paper(BODY, ABSTRACT, pmid="2", title="Two"))
    assert read_articles() == 2
    return with_model
