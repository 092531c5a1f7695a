"""The page Start: the topic with sentences of both sides, the numbers, the plot, and a button to the next step."""

import json

import plotly.io
import pytest
from streamlit.testing.v1 import AppTest

from annotate.operations.overview import Measured
from annotate.topics.file import SHIPPED, shipped
from pages.parts.shared.drawing import EARLIER, FULL_SHARE, PALE
from pages.parts.start.where import EXAMPLES, arp_figure, as_markdown
from tests.support.making import judge, store_proposed, verdict
from tests.support.measured import measured_once
from tests.support.paths import PAGES

__all__ = ["measured_once"]


def opened() -> AppTest:
    run = AppTest.from_file(str(PAGES / "start.py"), default_timeout=60).run()
    assert not run.exception
    return run


def test_an_empty_project_offers_the_sample_and_the_import(home):
    run = opened()
    assert {"Import articles", "Load the sample corpus"} <= {button.label for button in run.button}
    assert "No articles yet" in run.markdown[1].value


def test_the_topic_stands_there_with_two_sentences_of_each_side(home):
    store_proposed(2)
    run = opened()
    words = [part.value for part in run.markdown]
    assert len([text for text in words if text.startswith(":green[")]) == EXAMPLES
    assert len([text for text in words if text.startswith(":red[")]) == EXAMPLES
    assert [button.label for button in run.button] == ["Review the next article"]
    assert {metric.label: metric.value for metric in run.metric} == {"Articles": "2", "Key sentences": "0"}


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_topic_has_two_sentences_of_each_side(name):
    examples = shipped(name).file.examples
    assert len(examples.accepted) >= EXAMPLES and len(examples.rejected) >= EXAMPLES


def test_the_guideline_is_shown_as_text_but_for_what_it_may_say():
    said = as_markdown("# A\n**b** <i>c</i> [d](e)")
    assert said == "**A**\n\n**b** \\<i\\>c\\</i\\> \\[d\\]\\(e\\)"


def test_the_plot_has_each_versions_interval_and_number_of_articles():
    measured = [("v1", "hybrid", 0.8, 0.7, 0.9, 12), ("v2", "learned", 0.85, 0.8, 0.95, 12)]
    figure = arp_figure([Measured(*one, "2026-03-10T12:00:00.000Z") for one in measured])
    drawn = json.loads(plotly.io.to_json(figure))
    assert drawn["data"][0]["x"] == ["v1<br>n = 12", "v2<br>n = 12"]
    assert drawn["layout"]["yaxis"]["range"] == FULL_SHARE


def test_a_point_of_earlier_labels_is_grey_keeps_its_place_and_says_what_came_since():
    at = "2026-03-10T12:00:00.000Z"
    old = Measured("v1", "hybrid", 0.8, 0.7, 0.9, 12, at, "4 verdicts since")
    drawn = json.loads(plotly.io.to_json(arp_figure([old, Measured("v2", "hybrid", 0.9, 0.8, 1.0, 12, at)])))
    now, earlier = drawn["data"]
    assert (earlier["x"], earlier["name"], earlier["marker"]["color"]) == (["v1<br>n = 12"], EARLIER, PALE)
    assert earlier["customdata"] == ["hybrid, 4 verdicts since"] and now["x"] == ["v2<br>n = 12"]
    assert drawn["layout"]["xaxis"]["categoryarray"] == ["v1<br>n = 12", "v2<br>n = 12"]


def test_one_verdict_leaves_the_last_figures_in_sight_with_their_age(measured_once):
    judge("Anna", 1, verdict(0))
    captions = [caption.value for caption in opened().caption]
    assert any("Grey numbers come from earlier labels: tiny" in text and "1 verdict since" in text for text in captions)
    assert any("tiny: 1.000" in text for text in captions)
