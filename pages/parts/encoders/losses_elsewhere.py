"""What a version lost on other tasks, next to the button that promotes it: a warning, never a bar."""

from collections.abc import Sequence

import streamlit as st

from annotate.encoders.losses import Loss, comparison_payload, losses_of, not_seen
from annotate.encoders.tasks.registry import TASKS
from annotate.evaluation.metric_labels import change_written
from annotate.project.home import read
from annotate.project.rights import Right
from db.tables import ModelVersion
from pages.parts.frame.page import may
from pages.parts.frame.rows import words_and_action
from pages.parts.frame.text import shown
from pages.parts.shared.job_panel import start_job


def losses_elsewhere(version: ModelVersion) -> None:
    """The changes from the version's parent on the cheap tasks that are installed, or the way to have them measured."""
    with read() as session:
        losses = losses_of(session, version)
    unseen = f" Not measured: {shown(', '.join(left))}." if (left := not_seen(losses)) else ""
    if lost := [loss for loss in losses if loss.matters]:
        st.warning(
            f"It is worse on other tasks: {shown(_text(lost))}, each more than chance. Promote it if key sentences are "
            f"worth that.{unseen}",
            icon=":material/trending_down:",
        )
    elif losses:
        st.caption(
            f":material/compare: Compared with its parent on other tasks: {shown(_text(losses))}. No loss that matters."
            f"{unseen}"
        )
    elif payload := comparison_payload(version.name):
        text, button = words_and_action()
        text.caption("The effect of this retraining on other tasks has not been measured yet.")
        button.button(
            "Measure",
            key=f"elsewhere_{version.id}",
            on_click=start_job,
            args=("encoders", payload),
            disabled=not may(Right.EVALUATE),
        )


def _text(losses: Sequence[Loss]) -> str:
    return ", ".join(
        f"{TASKS[loss.task].title} {change_written(loss.change.value)} "
        f"({change_written(loss.change.low)} to {change_written(loss.change.high)})"
        for loss in losses
    )
