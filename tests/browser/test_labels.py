"""Labels of the topic's own kinds, from the form of an article and the correction of a sentence to the file of gold."""

import csv
import io
import json

import pytest

from annotate.topics.file import shipped
from annotate.topics.project_topic import use_topic
from tests.support.browser import (
    CHROMIUM,
    chromium,
    downloaded,
    go_on_to,
    new_page,
    open_reader,
    serving,
    wait_for_run,
    wait_until_saved,
)
from tests.support.making import judge, paper, query, store, verdict
from tests.support.waiting import wait_until

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (.ci/run installs it)")

SENTENCE = 1


@pytest.mark.parametrize(
    ("topic", "labels_button", "typed", "corrected", "columns"),
    [
        (
            "gene_editing",
            "Genes, cells and edit",
            {"Genes": "TP53|p53", "Cells": "HeLa"},
            {"gene": "MDM2", "cell": "HeLa", "edit": ""},
            {"genes": "MDM2", "cells": "HeLa", "edit": ""},
        ),
        (
            "clinical_trial_findings",
            "Interventions, comparators and outcomes",
            {"Interventions": "TP53", "Comparators": "HeLa", "Outcomes": "growth"},
            {"intervention": "MDM2", "comparator": "HeLa", "outcome": ""},
            {"interventions": "MDM2", "comparators": "HeLa", "outcomes": ""},
        ),
    ],
)
def test_labels_go_from_the_article_to_a_corrected_sentence_and_into_gold(
    home, topic, labels_button, typed, corrected, columns
):
    use_topic(shipped(topic).text, by="Anna")
    store(paper(("The gene is known.", "Here we deleted TP53 in HeLa cells.", "Nothing else was seen."), pmid="1"))
    judge("Anna", 1, verdict(SENTENCE))
    with chromium() as browser, serving(home) as server:
        page = new_page(browser, server.url, "Anna")
        open_reader(page, server.url, 1)
        page.get_by_role("button", name=labels_button).click()
        for name, text in typed.items():
            page.get_by_label(name, exact=True).fill(text)
        page.get_by_role("button", name="Save and propose again").click()
        wait_for_run(page)
        kinds = [kind.key for kind in shipped(topic).file.kinds if kind.plural in typed]
        wait_until(lambda: [kind for (kind,) in query("SELECT kind FROM document_label ORDER BY id")] == kinds)

        open_reader(page, server.url, 1)
        page.locator(f'.reader [data-sentence="{SENTENCE}"]').first.click()
        page.get_by_text("Named here").wait_for()
        assert "TP53" in page.locator(".reader .labels").inner_text()
        page.keyboard.press("e")
        page.locator(".reader .labels input").first.fill("MDM2")
        page.keyboard.press("Enter")
        wait_until_saved(page)
        ((stored,),) = query("SELECT CAST(labels AS TEXT) FROM verdict ORDER BY id DESC LIMIT 1")
        assert json.loads(stored) == corrected

        go_on_to(page, "gold", "Gold")
        (row,) = csv.DictReader(io.StringIO(downloaded(page, "CSV", exact=True).read_text(), newline=""))
        assert {name: row[name] for name in columns} == columns
        assert {"genes", "cells", "edit"} & set(row) == {"genes", "cells", "edit"} & set(columns)
