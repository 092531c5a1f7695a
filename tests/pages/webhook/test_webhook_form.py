"""The webhook on the status page."""

import pytest
from streamlit.testing.v1 import AppTest

from annotate.webhook.delivery import deliver
from tests.support.making import judge, paper, query, store, verdict
from tests.support.paths import PAGES
from tests.support.webhook_receiver import receiver

pytestmark = pytest.mark.usefixtures("home")
PAGE = PAGES / "status.py"


def page() -> AppTest:
    run = AppTest.from_file(str(PAGE), default_timeout=60).run()
    assert not run.exception
    return run


def words(run: AppTest) -> str:
    parts = (*run.markdown, *run.caption, *run.success, *run.error)
    return "\n".join(part.value for part in parts).replace("\\", "").replace(":color[]{}", "")


def save(run: AppTest, address: str) -> AppTest:
    run.text_input(key="webhook_address").set_value(address)
    (button,) = [each for each in run.button if each.key and each.key.startswith("FormSubmitter:webhook")]
    return button.click().run()


def click(run: AppTest, label: str) -> AppTest:
    (button,) = [each for each in run.button if each.label == label]
    return button.click().run()


def test_an_address_is_saved_its_secret_shown_once_and_a_test_says_how_it_went(monkeypatch):
    monkeypatch.setenv("KEYLINE_WEBHOOK_PRIVATE", "1")
    store(paper(pmid="1"))
    run = page()
    assert "No events are sent." in words(run)
    with receiver() as made:
        run = save(run, made.address)
        assert run.code[0].value.startswith("keyline_wh_") and f"Events are sent to **{made.address}**" in words(run)
        assert "Nothing was sent yet." in words(run)
        run = click(run, "Send a test")
        assert "The receiver accepted the test." in words(run) and "keyline_wh_" not in str(
            [code.value for code in run.code]
        )
        deliver()
        made.answers = [204, 500, 410]
        judge("Anna", 1, verdict(0))
        judge("Anna", 1, verdict(1))
        deliver()
        run = click(page(), "Send a test")
        assert "The receiver refused the test: the receiver answered 410." in words(run)
        assert "1 taken; the last one" in words(run) and "1 in vain" in words(run)
        assert "the receiver answered 500; the next try" in words(run)
        run = click(run, "New secret")
        assert run.code[0].value.startswith("keyline_wh_")
        assert "Nothing was sent yet." not in words(click(run, "Skip what waits"))
    run = save(page(), "")
    assert "No events are sent." in words(run)
    assert query("SELECT count(*) FROM setting WHERE name = 'webhook'") == [(4,)]


def test_an_address_behind_the_firewall_is_refused_with_the_reason():
    run = save(page(), "http://10.0.0.1/hook")
    assert "Not saved: the address must begin with https://" in words(run)
