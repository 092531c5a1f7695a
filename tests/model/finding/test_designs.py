"""Signs of how a study was done: what a text says of it, as much as in others; none of a text without words."""

import numpy as np

from model.finding.feedback import SIGNS, designs

TEXTS = [
    "Patients were randomised to placebo in a double-blind trial.",
    "A review of the management of gout.",
    "We report a 43-year-old woman.",
    "Growth of HeLa cells in vitro.",
    "",
]
BLANK = np.array([not text for text in TEXTS])


def _of(name: str) -> np.ndarray:
    return designs(TEXTS, BLANK)[:, list(SIGNS).index(name)]


def test_each_sign_is_where_its_words_are():
    for name, place in [("drawn by lot", 0), ("trial", 0), ("review", 1), ("single case", 2), ("animals or cells", 3)]:
        assert np.argmax(_of(name)) == place


def test_what_has_no_words_has_no_signs():
    found = designs(TEXTS, BLANK)
    assert found.shape == (5, len(SIGNS))
    assert not found[4].any()
    assert np.allclose(found[:4].mean(axis=0), 0, atol=1e-6)
    assert not designs(["", ""], np.array([True, True])).any()


def test_a_sign_that_is_often_there_tells_no_more():
    four, ten = (designs(["trial " * often, "none"], np.zeros(2, dtype=bool)) for often in (4, 10))
    assert np.array_equal(four, ten)
