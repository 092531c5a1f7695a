"""What these tests share: articles, a language model on this machine, and the consent to ask it."""

from collections.abc import Iterator

import pytest

from annotate.project.stored_settings import change_settings
from annotate.proposing.answers.llm_settings import LlmConsent, LlmSettings
from tests.support.llm_service import LanguageModel, language_model
from tests.support.making import paper, store


@pytest.fixture
def service() -> Iterator[LanguageModel]:
    """It finds TP53 worth 0.9, and all else 0.1."""
    with language_model(lambda number, text: 0.9 if "TP53" in text else 0.1) as model:
        yield model


@pytest.fixture
def agreed(home, service) -> LanguageModel:
    """Two articles of three sentences each, and a language model that may be asked about them."""
    store(paper(pmid="1"), paper(("We deleted TP53.", "It grew.", "It was known."), pmid="2"))
    use(service)
    return service


def use(service: LanguageModel, **more: object) -> LlmSettings:
    """Names the service and agrees to it."""
    settings = LlmSettings(address=service.address, model="small", **more)  # type: ignore[arg-type]  # (a test's own)
    change_settings("Mara", settings)
    change_settings("Mara", LlmConsent(address=settings.address))
    return settings
