"""The dialog of one's API tokens, and the list of everybody's on the page People."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from annotate.team.api_tokens import actor_of_token, all_tokens
from tests.support.api import token_of
from tests.support.paths import PAGES


@pytest.fixture
def people(home: Path) -> AppTest:
    """The page People, as Anna without login."""
    run = AppTest.from_file(str(PAGES / "people.py"), default_timeout=60)
    run.session_state["annotator"] = "Anna"
    return run.run()


def test_a_token_is_made_shown_once_and_revoked(people: AppTest) -> None:
    people.button(key="api_tokens").click().run()
    people.text_input(key="api_token_name").input("My script")
    (make,) = [button for button in people.button if button.label == "Make"]
    make.click().run()
    people.button(key="api_tokens").click().run()  # AppTest closes a dialog with each click
    (code,) = people.code
    actor = actor_of_token(code.value)
    assert not people.exception and actor is not None and actor.name == "Anna"
    people.button(key="api_tokens").click().run()
    assert not people.code and any("My script" in text.value for text in people.markdown)
    people.button(key=f"revoke_mine_{actor.token_id}").click().run()
    assert actor_of_token(code.value) is None and not people.exception


def test_an_admin_revokes_the_token_of_another(people: AppTest) -> None:
    token = token_of("Zoe", "Of the cluster")
    people.run()
    assert any("Zoe" in text.value and "Of the cluster" in text.value for text in people.markdown)
    people.button(key=f"revoke_all_{all_tokens()[0].id}").click().run()
    assert actor_of_token(token) is None and not people.exception
