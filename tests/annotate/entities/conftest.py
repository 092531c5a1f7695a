"""A data folder whose embedded genes are a dozen: the real tables take half a minute to compile."""

from pathlib import Path

import pytest

from annotate.entities import vocabularies, vocabulary_files
from annotate.topics.vocabularies import Vocabulary
from tests.support.entities import GENES


@pytest.fixture
def few_genes(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder, with few embedded genes."""
    entries = vocabulary_files.embedded_entries

    def few(vocabulary: Vocabulary):  # type: ignore[no-untyped-def]  # (a stand-in)
        return iter(GENES) if vocabulary is Vocabulary.GENES else entries(vocabulary)

    monkeypatch.setattr(vocabularies, "embedded_entries", few)
    return home
