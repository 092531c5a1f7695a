"""Fixtures: a data folder of its own for each test, and small encoders built here instead of downloaded ones."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests import postgres

os.environ.setdefault("HF_HUB_OFFLINE", "1")

WORDS = """[PAD] [UNK] [CLS] [SEP] [MASK] the a of in and we was were is to from by with using cell cells gene genes
line knockout knock out knockin knockdown crispr cas9 edited deletion lack
mutat silence disrupt remove edit here generated mouse human
hela a549 hek293t tp53 kras egfr brca1 myc protein expression growth assay patients study results
cancer increased decreased measured buffer wash incubated previously reported
known . , ; : ( ) - / % 1 2 3 4 5""".split()

# Left out on PostgreSQL, by the beginning of the file's name: what they prove is not of the database.
SQLITE_IS_ENOUGH = {
    "test_browser": "a browser before pages whose queries the tests of pages and routes run",
    "test_faults_workers": "training and its processes",
    "test_faults_restart": "the app's process",
    "test_annotate_supervisor": "processes of jobs",
    "test_annotate_startup": "the settings of the app, and SQLite's library",
    "test_annotate_sample": "the package that holds the sample",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--database postgresql` runs the tests that use a database, those with a `home`, on PostgreSQL."""
    parser.addoption("--database", choices=("sqlite", "postgresql"), default="sqlite")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out, on PostgreSQL, what uses no database or says by its mark that SQLite is enough."""
    if config.getoption("--database") == "postgresql":
        kept = [
            item
            for item in items
            if "home" in item.fixturenames  # type: ignore[attr-defined]
            and not item.get_closest_marker("sqlite")
            and not item.path.name.startswith(tuple(SQLITE_IS_ENOUGH))
        ]
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept


@pytest.fixture(scope="session")
def postgresql() -> Iterator[postgres.Server]:
    """A PostgreSQL server of these tests' own."""
    if postgres.programs() is None:
        pytest.skip(postgres.ABSENT)
    with postgres.server() as server:
        yield server


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Path]:
    """An empty data folder that all functions of the test use, and an empty database."""
    with _turn_to(tmp_path / "keyline", monkeypatch, request) as folder:
        yield folder


@pytest.fixture
def other_home(
    home: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Callable[[], None]]:
    """What turns to a second, empty data folder and database."""
    with ExitStack() as turned:

        def turn() -> None:
            turned.enter_context(_turn_to(Path(f"{home}-other"), monkeypatch, request))

        yield turn


@contextmanager
def _turn_to(folder: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Path]:
    monkeypatch.setenv("KEYLINE_HOME", str(folder))
    if request.config.getoption("--database") == "sqlite":
        monkeypatch.delenv("DATABASE_URL", raising=False)
        yield folder
    else:
        with request.getfixturevalue("postgresql").database() as url:
            monkeypatch.setenv("DATABASE_URL", url)
            yield folder


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
