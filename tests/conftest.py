"""Fixtures: a data folder of its own for each test, and small encoders built here instead of downloaded ones."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")

WORDS = """[PAD] [UNK] [CLS] [SEP] [MASK] the a of in and we was were is to from by with using cell cells gene genes
line knockout knock out knockin knockdown crispr cas9 edited deletion lack
mutat silence disrupt remove edit here generated mouse human
hela a549 hek293t tp53 kras egfr brca1 myc protein expression growth assay patients study results
cancer increased decreased measured buffer wash incubated previously reported
known . , ; : ( ) - / % 1 2 3 4 5""".split()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder that all functions of the test use."""
    folder = tmp_path / "keyline"
    monkeypatch.setenv("KEYLINE_HOME", str(folder))
    return folder


@pytest.fixture(scope="session")
def tiny_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a two-layer BERT with mean pooling, 32 dimensions, random weights from a fixed seed."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("encoder")
    (folder / "vocab.txt").write_text("\n".join(dict.fromkeys(WORDS)))
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(set(WORDS)),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=128,
    )
    bert = folder / "bert"
    BertModel(config).save_pretrained(bert)
    BertTokenizerFast(vocab=str(folder / "vocab.txt"), do_lower_case=True).save_pretrained(bert)
    transformer = Transformer(str(bert), max_seq_length=64)
    encoder = SentenceTransformer(modules=[transformer, Pooling(32, pooling_mode="mean")], device="cpu")
    encoder.save_pretrained(str(folder / "tiny"), create_model_card=False)
    return folder / "tiny"


@pytest.fixture
def tiny_home(home: Path, tiny_encoder: Path) -> Iterator[Path]:
    """A data folder in which the tiny encoder proposes."""
    import db.versions
    from annotate.encoders import add_encoder
    from annotate.home import write
    from annotate.rights import Right

    version = add_encoder(str(tiny_encoder), "tiny")
    with write(Right.SYSTEM) as session:
        db.versions.insert_promotion(session, version.id, promoted_by="test", reason="to begin with")
    yield home
