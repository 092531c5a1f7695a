"""Encoders to start from: where a version cuts texts is what its files say, all else at 256 tokens."""

import pytest

from annotate.experiments.experiments import encoder_source
from annotate.proposing.embed import Embedder
from annotate.proposing.encoders import add_encoder, load_source
from annotate.registry.versions import model_folder
from model.encoder import encode, load
from tests.model.test_families import SIZES, Family, made


@pytest.fixture
def long(home, tmp_path):
    """The folder of an encoder that reads 400 tokens."""
    made(Family("Bert", "BertModel", SIZES | {"max_position_embeddings": 400}), tmp_path)
    return str(tmp_path / "made")


@pytest.mark.parametrize(("asked", "read"), [(None, 256), (300, 300), (1_000, 400)])
def test_a_version_reads_as_far_as_it_was_added_to(long, asked, read):
    version = add_encoder(long, "long", asked)
    source, _ = encoder_source("long")
    assert source == str(model_folder(version))
    assert (load_source(source, "cpu").max_seq_length, load_source(long, "cpu").max_seq_length) == (read, 256)
    texts = ["cells " * (read - 3) + "gene", "cells " * (read - 3) + "gene knockout gene"]
    whole = load(long, device="cpu", most_tokens=None)
    whole.max_seq_length = read
    (one, other), wanted = Embedder(version)(texts), encode(whole, texts)
    assert (one == wanted[0]).all() and (one == other).all()  # what differs comes behind the last token
    assert abs(Embedder(version)(["cells " * (read - 3)])[0] - one).max() > 1e-6


@pytest.mark.parametrize("source", ["/nope", "./nope", "~/encoders/nope", "models/one/two", "C:\\encoders"])
def test_a_path_to_no_folder_is_no_hub_id(home, source):
    with pytest.raises(OSError, match="there is no such folder, and no hub id is written so"):
        add_encoder(source, "new")
