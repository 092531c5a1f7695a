"""A data folder with a model of roles, and an article with text in parts."""

from pathlib import Path

import pytest

from tests.support.making import paper, store
from tests.support.roles import bring_models, small_model

ABSTRACT = (
    "Little is known about sleep.",
    "We sought to understand sleep.",
    "We measured sleep.",
    "Sleep increased by 12%.",
)
BODY = ("We found that asthma was significantly higher.", "Samples of yeast were collected.")


@pytest.fixture(scope="session")
def trained_later(role_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of another model, learnt after that one, from other abstracts."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("later")
        patch.setenv("KEYLINE_HOME", str(home))
        small_model(home, count=90, seed=5)
    return home / "functions"


@pytest.fixture
def with_model(home: Path, role_model: Path) -> Path:
    """A data folder with a small model, without articles."""
    bring_models(role_model)
    return home


@pytest.fixture
def read_home(with_model: Path) -> Path:
    """The same with two articles whose sentences' roles were read."""
    from annotate.roles.reading import read_articles

    store(paper(ABSTRACT, BODY, pmid="1", title="One"), paper(BODY, ABSTRACT, pmid="2", title="Two"))
    assert read_articles() == 2
    return with_model
