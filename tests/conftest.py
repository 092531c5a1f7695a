"""Fixtures: a data folder of its own for each test, and small encoders built here instead of downloaded ones."""

import fcntl
import gc
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from db.engine import Address, sqlite_module, wal_is_safe
from db.tables import Promotion
from db.values import Kind
from tests.support import browser, copies, postgres, waiting_writers
from tests.support.choice import dealt, is_fast, is_of_postgresql, is_unread
from tests.support.compiling import ASKED, compile_once
from tests.support.job_starter import start_jobs_at
from tests.support.logged import Logged, logging_kept
from tests.support.paths import ROOT
from tests.support.prepared import Prepared
from tests.support.rewriting import one_rewrites
from tests.support.statements import Comparison
from tests.support.ticking import Ticking
from tests.support.worker_starter import start_workers_at

os.environ.setdefault("HF_HUB_OFFLINE", "1")
# Two runs of tests share two processors, each with its servers: threads of arithmetic would only wait for one another.
for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")

# Where Python may not keep what it compiled, each process of a run rewrites all tests, and each that a test starts
# compiles the product.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

WORDS = """[PAD] [UNK] [CLS] [SEP] [MASK] the a of in and we was were is to from by with using cell cells gene genes
line knockout knock out knockin knockdown crispr cas9 edited deletion lack
mutat silence disrupt remove edit here generated mouse human
hela a549 hek293t tp53 kras egfr brca1 myc protein expression growth assay patients study results
cancer increased decreased measured buffer wash incubated previously reported
known . , ; : ( ) - / % 1 2 3 4 5""".split()

# Files of tests lie in memory where there is plenty. The app syncs each commit, and a disk takes milliseconds for it;
# that it does so is seen by its calls. More is free there than the app wants for uploads and backups.
MEMORY = Path("/dev/shm")
MEMORY_BYTES = 6_000_000_000
# How many new objects there are before a look for garbage, and how many looks before one among older objects.
GARBAGE = (20_000, 20, 20)
# What apps and jobs, and the processes of a run, are copies of.
PREPARED = Prepared()
BROWSER = ROOT / "tests" / "browser"
# The module that the tests were started with.
MAIN = sys.modules["__main__"]


def pytest_configure(config: pytest.Config) -> None:
    """Before any test makes an engine, or a file."""
    gc.disable()  # until all is collected: imports and the list of tests leave next to nothing behind
    compile_once()
    if config.getoption("--database") == "both":
        whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS and not config.getoption("keyword")
        config.pluginmanager.register(Comparison(ASKED, whole=whole and not config.getoption("--fast")))
    if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > MEMORY_BYTES:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config) -> None:
    """The processes of a run are copies, too, but those of the fast run, which imports little."""
    if not config.getoption("--fast"):
        start_workers_at(PREPARED)


def pytest_unconfigure() -> None:
    """In the end."""
    PREPARED.stop()


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--database postgresql` runs the tests that use a database, those with a `home`, on PostgreSQL, `--database both`
    all tests on SQLite and these on PostgreSQL, too; `--fast` leaves out what takes long."""
    parser.addoption("--database", choices=("sqlite", "postgresql", "both"), default="sqlite")
    parser.addoption("--fast", action="store_true")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves whole files unread in the fast run."""
    file = collection_path.relative_to(ROOT / "tests").as_posix() if collection_path != ROOT / "tests" else ""
    return True if config.getoption("--fast") and is_unread(file) else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test of the database is two where both are asked for."""
    both = metafunc.config.getoption("--database") == "both"
    if both and is_of_postgresql(metafunc.definition, metafunc.fixturenames):
        metafunc.parametrize("database", ["sqlite", "postgresql"], indirect=True)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """The processes of a run read the files of tests at once, but where each would rewrite all of them."""
    with one_rewrites(getattr(session.config, "workerinput", {}).get("testrunuid")):
        return (yield)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what the fast run does, and what a run on PostgreSQL alone does; the order is that of `dealt`.

    A browser that three tests share two processors with may be late: its tests are run once more where they fail, and
    the summary counts them.
    """

    def stays(item: pytest.Item) -> bool:
        assert isinstance(item, pytest.Function)
        if config.getoption("--database") == "postgresql" and not is_of_postgresql(item, item.fixturenames):
            return False
        return not config.getoption("--fast") or is_fast(item)

    kept, left = [], []
    for item in items:
        if item.path.parent == BROWSER:
            item.add_marker(pytest.mark.flaky(reruns=1))
        (kept if stays(item) else left).append(item)
    config.hook.pytest_deselected(items=left)
    items[:] = dealt(kept)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Once everything is imported: what tests of pages share.

    Streamlit collects garbage after each run of a page. Among the million objects of what all tests import that would
    be half a second of a processor each time; they stay, so no collection looks at them again.
    """
    if session.config.getoption("--fast") and "torch" in sys.modules:
        raise pytest.UsageError("a file of the fast run imports torch: name it in NOT_FAST of tests/support/choice.py")
    gc.freeze()  # with the little garbage that imports leave: to find it takes a second
    gc.enable()
    gc.set_threshold(*GARBAGE)
    if "streamlit.testing.v1" in sys.modules:
        from tests.support.scanning import compile_scripts_once, scan_once

        scan_once()
        compile_scripts_once()


@pytest.fixture(autouse=True)
def own_main() -> None:
    """AppTest leaves the page that it ran as __main__: a process that a later test starts would run that page first."""
    sys.modules["__main__"] = MAIN


@pytest.fixture(scope="session", autouse=True)
def waiting_noticed(tmp_path_factory: pytest.TempPathFactory) -> None:
    """All processes of these tests notice threads that begin to write while they read."""
    file = tmp_path_factory.mktemp("waiting") / "writers.txt"
    file.touch()
    os.environ[waiting_writers.FILE] = str(file)
    waiting_writers.notice()


@pytest.fixture(autouse=True)
def no_waiting_writers(request: pytest.FixtureRequest) -> Iterator[None]:
    """No thread of the test begins to write while it reads: where SQLite has no WAL, it would wait for itself."""
    may = request.node.get_closest_marker("writes_while_reading")
    if may and not wal_is_safe(sqlite_module.sqlite_version_info):
        pytest.skip("this SQLite has no WAL")
    yield
    found = waiting_writers.noticed()
    assert may or not found, f"a write transaction began while the same thread read:\n{found}"


@pytest.fixture
def logged() -> Iterator[Logged]:
    """What the test logs, from warnings on."""
    with logging_kept() as kept:
        yield kept


@pytest.fixture(scope="session", autouse=True)
def quick_starts() -> Iterator[None]:
    """The apps and jobs of these tests are copies of one process that has imported all, their pages of one browser."""
    browser.prepared = copies.prepared = PREPARED
    browser.browsers = browser.Browsers(browser.HEADLESS, [*browser.FLAGS, browser.UNCOMPILED])
    start_jobs_at(PREPARED.begin)
    yield
    browser.browsers.stop()
    browser.prepared = copies.prepared = browser.browsers = None


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
def database(request: pytest.FixtureRequest) -> str:
    """Which database `home` is on."""
    return getattr(request, "param", None) or request.config.getoption("--database").replace("both", "sqlite")


@pytest.fixture
def home(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Path]:
    """An empty data folder that all functions of the test use, and an empty database."""
    with _turn_to(tmp_path / "keyline", database, monkeypatch, request) as folder:
        yield folder


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each row that is written bears a later time than those before, however many are written in a millisecond."""
    monkeypatch.setattr("db.base.datetime", Ticking)


@pytest.fixture
def other_home(
    home: Path, database: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Callable[[], None]]:
    """What turns to a second, empty data folder and database."""
    with ExitStack() as turned:

        def turn() -> None:
            turned.enter_context(_turn_to(Path(f"{home}-other"), database, monkeypatch, request))

        yield turn


@contextmanager
def _turn_to(
    folder: Path, database: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Path]:
    monkeypatch.setenv("KEYLINE_HOME", str(folder))
    if database == "sqlite":
        monkeypatch.delenv("DATABASE_URL", raising=False)
        _copy_what_migrations_make(monkeypatch, request.getfixturevalue("migrated_file"))
        yield folder
    else:
        with request.getfixturevalue("postgresql").database() as url:
            monkeypatch.setenv("DATABASE_URL", url)
            yield folder


def _copy_what_migrations_make(monkeypatch: pytest.MonkeyPatch, migrated: Path) -> None:
    """Where this process would make a database in a data folder, it copies it."""
    from annotate.project import home
    from db.migrate import migrate

    def copy_or_migrate(address: Address) -> None:
        if not isinstance(address, Path) or address.exists():
            migrate(address)
            return
        address.parent.mkdir(parents=True, exist_ok=True)
        whole = address.with_name(f"copied-by-{os.getpid()}")
        shutil.copyfile(migrated, whole)
        try:
            os.link(whole, address)
        except FileExistsError:  # a process that the test began was first
            migrate(address)
        finally:
            whole.unlink()

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
    """What a data folder holds under `functions` once what sentences do was learnt, here from made-up abstracts, and
    once for all processes of a run."""
    from tests.support.roles import small_model

    own = tmp_path_factory.getbasetemp()
    made = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "roles"
    with made.with_suffix(".lock").open("w") as lock, pytest.MonkeyPatch.context() as patch:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            patch.setenv("KEYLINE_HOME", str(made))
            made.mkdir()
            small_model(made)
    return made / "functions"


@pytest.fixture
def tiny_home(home: Path, tiny_encoder: Path, role_model: Path) -> Path:
    """A data folder in which the tiny encoder proposes, and a small model tells what sentences do."""
    _propose_with(tiny_encoder, role_model)
    return home


@pytest.fixture(scope="module")
def shared_tiny_home(
    tmp_path_factory: pytest.TempPathFactory, tiny_encoder: Path, role_model: Path, request: pytest.FixtureRequest
) -> Iterator[Path]:
    """Another such, on SQLite, that the tests of a file share: each finds what those before it wrote."""
    with (
        pytest.MonkeyPatch.context() as patch,
        _turn_to(tmp_path_factory.mktemp("shared") / "keyline", "sqlite", patch, request) as folder,
    ):
        _propose_with(tiny_encoder, role_model)
        yield folder


def _propose_with(encoder: Path, role_model: Path) -> None:
    import db.rows
    from annotate.project.home import write
    from annotate.project.rights import Right
    from annotate.proposing.encoders import add_encoder
    from tests.support.roles import bring_models

    version = add_encoder(str(encoder), "tiny")
    bring_models(role_model)
    with write(Right.SYSTEM) as session:
        db.rows.add(
            session, Promotion(kind=Kind.ENCODER, version_id=version.id, promoted_by="test", reason="to begin with")
        )
