"""The page Start: the topic with sentences of both sides, the numbers, the plot, and a button to the next step."""

import json

import plotly.io
import pytest
from streamlit.testing.v1 import AppTest

from annotate.operations.overview import Measured
from annotate.topics.file import SHIPPED, shipped
from pages.parts.shared.drawing import FULL_SHARE
from pages.parts.start.charts import arp_figure
from pages.parts.start.topic import EXAMPLES, as_markdown
from tests.support.making import store_proposed
from tests.support.paths import PAGES


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
    figure = arp_figure([Measured("v1", "hybrid", 0.8, 0.7, 0.9, 12), Measured("v2", "learned", 0.85, 0.8, 0.95, 12)])
    drawn = json.loads(plotly.io.to_json(figure))
    assert drawn["data"][0]["x"] == ["v1<br>n = 12", "v2<br>n = 12"]
    assert drawn["layout"]["yaxis"]["range"] == FULL_SHARE
