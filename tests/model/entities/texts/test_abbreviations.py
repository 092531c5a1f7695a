"""Short forms as texts introduce them, after Schwartz and Hearst."""

import pytest

from model.entities.texts.abbreviations import abbreviations, expanded, long_form


@pytest.mark.parametrize(
    ("short", "before", "expected"),
    [
        ("NSCLC", "patients with non-small cell lung cancer", "non-small cell lung cancer"),
        ("WT", "compared with the wild type", "wild type"),
        ("HSC", "we took hematopoietic stem cells", "hematopoietic stem cells"),
        ("sgRNA", "with a single guide RNA", "single guide RNA"),
        ("ABC", "nothing fits here", ""),
        ("WT", "", ""),
    ],
)
def test_long_forms(short, before, expected):
    assert long_form(short, before) == expected


def test_what_has_two_meanings_or_is_no_short_form_is_left_out():
    texts = [
        "The wild type (WT) grew.",
        "Wilms tumour (WT) cells died.",
        "The embryonic stem cells (ESC) grew (see Figure 2, n = 3).",
    ]
    assert abbreviations(texts) == {"ESC": "embryonic stem cells"}


def test_texts_are_written_out_but_where_they_introduce_the_short_form():
    long_of = {"ESC": "embryonic stem cells"}
    assert expanded("ESC grew; ESCs did not.", long_of) == "embryonic stem cells grew; ESCs did not."
    introduced = "The embryonic stem cells (ESC) grew."
    assert expanded(introduced, long_of) == introduced
