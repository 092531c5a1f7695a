"""Fixtures: a data folder of its own for each test, and small encoders built here instead of downloaded ones."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from db.engine import Address
from tests.support import browser, postgres
from tests.support.app_starter import Starter
from tests.support.compiling import compile_once
from tests.support.paths import ROOT

os.environ.setdefault("HF_HUB_OFFLINE", "1")
# Two runs of tests share two processors, each with its servers: threads of arithmetic would only wait for one another.
for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")

WORDS = """[PAD] [UNK] [CLS] [SEP] [MASK] the a of in and we was were is to from by with using cell cells gene genes
line knockout knock out knockin knockdown crispr cas9 edited deletion lack
mutat silence disrupt remove edit here generated mouse human
hela a549 hek293t tp53 kras egfr brca1 myc protein expression growth assay patients study results
cancer increased decreased measured buffer wash incubated previously reported
known . , ; : ( ) - / % 1 2 3 4 5""".split()

# Left out on PostgreSQL, by where they stand below tests/: what they prove is not of the database. Of the functions of
# db/ that only pages call, tests that stay run each one: those of db/, of the gold, the history and the reader.
SQLITE_IS_ENOUGH = {
    "browser/": "a browser before pages whose queries the tests of pages and routes run",
    "faults/test_workers": "training and its processes",
    "faults/test_restart": "the app's process",
    "annotate/cli/": "options, words and exit codes of functions that have tests of their own",
    "annotate/jobs/test_supervisor": "processes of jobs",
    "annotate/entities/test_corpora": "how files are read",
    "annotate/entities/test_evaluate": "texts and files, no database",
    "annotate/entities/test_vocabular": "files of the data folder, no database",
    "annotate/operations/test_startup_checks": "the settings of the app, and SQLite's library",
    "annotate/operations/test_warm_up": "what the process loads when it begins",
    "annotate/gold/test_sample": "the package that holds the sample",
    "inputs/test_fuzz": "how files are read",
    "inputs/test_hostile.py::test_a_file_is_refused": "refused by the reader, before the database",
    "inputs/test_hostile.py::test_no_file_makes_a_request": "the reader of files",
    "inputs/test_models": "folders of models",
    "inputs/test_pages.py::test_18": "what the server takes in",
    "inputs/test_pages.py::test_20": "what the server takes in",
    "inputs/test_pages.py::test_an_upload": "names of files",
    "inputs/test_pages.py::test_a_filter": "a pattern, before any query",
    "pages/evaluation/": "drawing what is stored",
    "pages/operations/": "drawing what is stored",
    "pages/review/test_progress": "drawing what annotate/review counts",
    "pages/review/test_queue": "drawing what annotate/review hands out",
    "pages/server/test_ops_routes": "routes of the app's process",
    "pages/shared/": "drawing, and downloads",
    "pages/studies/": "drawing what annotate/studies stores",
    "pages/team/test_adjudicate": "drawing what annotate/team decides",
    "pages/team/test_agreement": "drawing what annotate/team counts",
    "pages/training/": "drawing, and training",
}

# Left out of `make test-fast`, likewise: browsers, servers and other processes, torch, faults, hostile files, and what
# takes long. The files that import torch or start something stand here whole, so that they are not even read.
NOT_FAST = {
    "browser/": "a browser",
    "faults/": "faults, with servers and kills",
    "inputs/": "hostile files, large ones among them",
    "model/training/": "torch",
    "model/test_encoder": "torch",
    "house/test_app_forged": "a server",
    "house/test_deploy": "a server and a proxy",
    "house/test_load": "load on servers",
    "house/test_projects": "servers",
    "annotate/operations/projects/test_running": "processes",
    "house/test_house": "half a minute: every file of the house",
    "db/test_migrate_released": "processes that are killed",
    "db/test_engine_postgresql": "a server",
    "db/test_migrate.py::test_a_kill": "processes that are killed",
    "db/test_migrate.py::test_two_processes": "processes",
    "annotate/articles/test_parsing_jats.py::test_no_paragraph": "seven seconds: every real article",
    "annotate/articles/test_parsing_medline.py::test_a_real_baseline_file": "eighteen seconds: a whole file of PubMed",
    "annotate/cli/": "training, and processes",
    "annotate/entities/test_evaluate": "training",
    "annotate/entities/test_vocabularies": "the gene tables, half a minute",
    "annotate/gold/test_sample": "nineteen seconds: the whole sample",
    "annotate/jobs/test_lifecycle": "processes",
    "annotate/operations/test_backup": "a server",
    "annotate/operations/test_prometheus": "a project of ten thousand articles",
    "annotate/operations/test_startup_checks": "processes",
    "annotate/project/test_logs": "processes",
    "annotate/review/test_expert_assignments.py::test_eight": "eight threads of experts",
    "annotate/review/test_verdicts.py::test_a_kill": "processes that are killed",
    "annotate/studies/": "training",
    "annotate/training/": "training",
    "pages/evaluation/": "pages over a whole evaluation",
    "pages/frame/test_rights": "every page for every role",
    "pages/operations/": "a project of ten thousand articles",
    "pages/server/test_ops_routes.py::test_a_database_that_takes_no_writes": "ten seconds of waiting for a lock",
    "pages/studies/": "training",
    "pages/training/": "training",
}
# Files of tests lie in memory where there is plenty. The app syncs each commit, and a disk takes milliseconds for it;
# that it does so is seen by its calls. More is free there than the app wants for uploads and backups.
MEMORY = Path("/dev/shm")
MEMORY_BYTES = 6_000_000_000
# The module that the tests were started with.
MAIN = sys.modules["__main__"]
SLOW_FIXTURES = {"tiny_encoder", "tiny_home", "postgresql"}


def pytest_configure() -> None:
    """Before any test makes an engine, or a file."""
    compile_once()
    if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > MEMORY_BYTES:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--database postgresql` runs the tests that use a database, those with a `home`, on PostgreSQL; `--fast` leaves
    out what takes long."""
    parser.addoption("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.addoption("--fast", action="store_true")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves whole files unread in the fast run."""
    place = collection_path.relative_to(ROOT / "tests").as_posix() if collection_path != ROOT / "tests" else ""
    if config.getoption("--fast") and f"{place}/".startswith(tuple(part for part in NOT_FAST if "::" not in part)):
        return True
    return None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what the fast run does; on PostgreSQL, what uses no database or says that SQLite is enough."""

    def stays(item: pytest.Item) -> bool:
        place, fixtures = item.nodeid.removeprefix("tests/"), set(item.fixturenames)  # type: ignore[attr-defined]
        if config.getoption("--fast") and (place.startswith(tuple(NOT_FAST)) or fixtures & SLOW_FIXTURES):
            return False
        return config.getoption("--database") == "sqlite" or (
            "home" in fixtures
            and not item.get_closest_marker("sqlite")
            and not place.startswith(tuple(SQLITE_IS_ENOUGH))
        )

    kept, left = [], []
    for item in items:
        (kept if stays(item) else left).append(item)
    config.hook.pytest_deselected(items=left)
    items[:] = kept


def pytest_collection_finish() -> None:
    """Once everything is imported: what tests of pages share."""
    if "streamlit.testing.v1" in sys.modules:
        from tests.support.scanning import scan_once

        scan_once()


@pytest.fixture(autouse=True)
def own_main() -> None:
    """AppTest leaves the page that it ran as __main__: a process that a later test starts would run that page first."""
    sys.modules["__main__"] = MAIN


@pytest.fixture(scope="session", autouse=True)
def quick_starts() -> Iterator[None]:
    """The apps of these tests are copies of one process that has imported everything, their pages of one browser."""
    browser.starter, browser.browsers = Starter(), browser.Browsers()
    yield
    browser.browsers.stop()
    browser.starter.stop()
    browser.starter = browser.browsers = None


@pytest.fixture(scope="session")
def postgresql() -> Iterator[postgres.Server]:
    """A PostgreSQL server of these tests' own."""
    if postgres.programs() is None:
        pytest.skip(postgres.ABSENT)
    with postgres.server() as server:
        yield server


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the migrations make of no file: a hundred statements, run once instead of before each test."""
    from db.engine import engine
    from db.migrate import migrate

    made = tmp_path_factory.mktemp("migrated") / "keyline.sqlite"
    migrate(made)
    for read_only in (False, True):
        engine(made, read_only=read_only).dispose()  # the last connection writes the log into the file
    return made


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
        _copy_what_migrations_make(monkeypatch, request.getfixturevalue("migrated_file"))
        yield folder
    else:
        with request.getfixturevalue("postgresql").database() as url:
            monkeypatch.setenv("DATABASE_URL", url)
            yield folder


def _copy_what_migrations_make(monkeypatch: pytest.MonkeyPatch, migrated: Path) -> None:
    """Where this process would make a database in a data folder, it copies it; the migration then looks at it."""
    from annotate.project import home
    from db.migrate import migrate

    def copy_or_migrate(address: Address) -> None:
        if isinstance(address, Path) and not address.exists():
            address.parent.mkdir(parents=True, exist_ok=True)
            whole = address.with_name(f"copied-by-{os.getpid()}")
            shutil.copyfile(migrated, whole)
            with suppress(FileExistsError):  # a process that the test began was first
                os.link(whole, address)
            whole.unlink()
        migrate(address)

    monkeypatch.setattr(home, "migrate", copy_or_migrate)


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


@pytest.fixture(scope="session")
def role_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a data folder holds under `functions` once what sentences do was learnt, here from made-up abstracts."""
    from tests.support.functions import small_model

    with pytest.MonkeyPatch.context() as patch:
        made = tmp_path_factory.mktemp("roles")
        patch.setenv("KEYLINE_HOME", str(made))
        small_model(made)
    return made / "functions"


@pytest.fixture
def tiny_home(home: Path, tiny_encoder: Path, role_model: Path) -> Iterator[Path]:
    """A data folder in which the tiny encoder proposes, and a small model tells what sentences do."""
    import db.proposing.versions
    from annotate.project.home import write
    from annotate.project.rights import Right
    from annotate.proposing.encoders import add_encoder

    shutil.copytree(role_model, home / "functions")
    version = add_encoder(str(tiny_encoder), "tiny")
    with write(Right.SYSTEM) as session:
        db.proposing.versions.insert_promotion(session, version.id, promoted_by="test", reason="to begin with")
    yield home
