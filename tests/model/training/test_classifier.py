"""An encoder that is fine-tuned on sentences with labels, as a classifier."""

import numpy as np
import pytest

from model.encoder import encode, load
from model.training.classifier import QUERY, fit_classifier
from model.training.losses import SCALE
from model.training.settings import Loss, TrainingSettings

KEY = [f"here we edited {gene} in hela cells" for gene in ("tp53", "kras", "egfr", "brca1", "myc")]
OTHER = ["the assay was measured", "patients were known", "wash with buffer", "previously reported", "the control"]
QUICK = TrainingSettings(
    loss=Loss.LOGISTIC, epochs=20, batch_size=4, learning_rate=2e-3, warmup_steps=0, evaluate_every=0
)
ARTICLES = [([other, key], [0, 1]) for other, key in zip(OTHER, KEY, strict=True)]


def test_it_learns_which_sentences_are_key_and_says_so_by_the_cosine_to_its_query(tiny_encoder):
    encoder = load(tiny_encoder)
    found = fit_classifier(encoder, ARTICLES, QUICK)
    assert found.encoder is encoder  # trained in place
    query, *vectors = encode(encoder, KEY, queries=[QUERY])
    assert found.log_odds(KEY) == pytest.approx(SCALE * (np.stack(vectors) @ query - 0.5), abs=1e-4)
    assert found.log_odds(KEY).min() > 0 > found.log_odds(OTHER).max()
    assert found.log_odds([]).shape == (0,)


def test_it_needs_key_sentences_and_others(tiny_encoder):
    with pytest.raises(ValueError, match="training needs key sentences and others"):
        fit_classifier(load(tiny_encoder), [(KEY, [1] * len(KEY))])
