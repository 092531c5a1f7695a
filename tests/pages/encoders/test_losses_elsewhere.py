"""Beside the button that promotes: what a version lost on other tasks, in words."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.annotate.encoders.test_losses import result
from tests.support.making import version_without_weights


def _block() -> None:
    import db.registry
    from annotate.project.home import read
    from pages.parts.encoders.losses_elsewhere import losses_elsewhere

    with read() as session:
        version = db.registry.encoder_named(session, "child")
    losses_elsewhere(version)


def shown() -> AppTest:
    run = AppTest.from_function(_block, default_timeout=30).run()
    assert not run.exception
    return run


@pytest.fixture
def versions(home):
    """A version and its child."""
    parent = version_without_weights("parent")
    return parent, version_without_weights("child", parent_id=parent.id)


def test_a_loss_that_matters_is_a_warning(versions):
    parent, child = versions
    result(parent, "rqe", 90)
    result(child, "rqe", 70)
    run = shown()
    assert "It is worse on other tasks: RQE" in run.warning[0].value
    assert "0.200" in run.warning[0].value.replace("\\", "")


def test_a_small_loss_is_told_and_warns_of_nothing(versions):
    parent, child = versions
    result(parent, "rqe", 90)
    result(child, "rqe", 89)
    run = shown()
    assert not run.warning
    assert "No loss that matters" in run.caption[0].value
    assert "Not measured: BIOSSES, Functions, Roles, PubMed, Hallmarks of cancer." in run.caption[0].value


def test_without_tasks_nothing_is_said(versions):
    run = shown()
    assert not [*run.warning, *run.caption, *run.button]
