"""A full disk, and damaged model files: said in words, nothing acknowledged missing, at work again at once."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import model.encoder
from annotate.cli.main import main
from annotate.gold.export_file import export
from annotate.project.home import database
from annotate.project.rights import Right
from annotate.proposing.embed import embed
from annotate.proposing.encoder_versions import find_version, promote_encoder, proposing_version, register_encoder
from annotate.proposing.propose import propose
from annotate.registry.versions import model_folder, roll_back
from annotate.review.article_view import ENDPOINT
from annotate.review.verdicts import record, sign
from annotate.search.index_files import IndexNotWritten
from annotate.search.upkeep import catch_up, update
from db.engine import DATABASE_ERRORS, engine
from db.values import Kind
from model.files import DamagedModel
from tests.annotate.search.conftest import asked
from tests.support.browser import serving
from tests.support.making import contents, judge, paper, query, store, store_proposed, verdict
from tests.support.oracle import assert_sound
from tests.support.wire import Tab, post

pytestmark = [pytest.mark.sqlite, pytest.mark.timeout(600)]
DISK_BYTES = 16_000_000


# --- A full disk ---


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A data folder on a file system of 16 MB of its own."""
    mounted = tmp_path / "disk"
    mounted.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(mounted)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount the small disk that this fills")
    home = mounted / "keyline"
    monkeypatch.setenv("KEYLINE_HOME", str(home))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    try:
        yield home
    finally:
        for read_only in (False, True):
            engine(home / "keyline.sqlite", read_only=read_only).dispose()
        subprocess.run(["umount", "-l", str(mounted)], check=True)


@contextmanager
def full(disk: Path) -> Iterator[None]:
    """Leaves no byte free, nor at the end of the app's log, as long as the block lasts."""
    ballast = disk.parent / "ballast"
    for path in (ballast, disk.parent / "server.log"):
        with path.open("ab", buffering=0) as file, suppress(OSError):
            while True:
                file.write(b"x" * 4096)
    assert shutil.disk_usage(disk).free == 0
    try:
        yield
    finally:
        ballast.unlink()


def until_it_fails(acknowledged: list[str]) -> tuple[str, str]:
    """Records verdicts until one cannot be stored, as some still fit into what the database has; returns the id of
    that one and why."""
    for number in range(5_000):
        event = verdict(number % 3)
        try:
            acknowledged += record("Anna", 1, [event])[0]
        except DATABASE_ERRORS as error:
            return event["id"], str(error)
    raise AssertionError("the disk did not fill up")


def test_a_full_disk_refuses_verdicts_in_words_and_takes_them_once_there_is_room(disk):
    store(paper(pmid="1"))
    acknowledged: list[str] = []
    for _ in range(3):  # filled and freed again and again, in one process
        with full(disk):
            failed, why = until_it_fails(acknowledged)
            assert "disk is full" in why or "disk I/O error" in why
            assert_sound(acknowledged, acknowledged)  # it can be read, and what was refused left nothing
        assert record("Anna", 1, [verdict(0) | {"id": failed}]) == ([failed], [])
        acknowledged.append(failed)
        assert_sound(acknowledged, acknowledged)


def test_the_app_on_a_full_disk_says_not_saved_shows_what_there_is_and_goes_on_once_there_is_room(disk):
    store_proposed(2)
    token, acknowledged, waiting = sign("Anna", 1), [], []
    with serving(disk) as server:
        asyncio.run(_shows(server, "articles"))
        with full(disk):
            for _ in range(5_000):
                waiting = [verdict(0)]
                status, answer = post(server, ENDPOINT, token=token, events=waiting)
                if status != 200:
                    break
                acknowledged += answer["stored"]
            assert status == 503 and "not saved" in answer["error"]
            asyncio.run(_shows(server, "articles"))
            assert_sound(acknowledged, acknowledged)
        status, answer = post(server, ENDPOINT, token=token, events=waiting)
        assert (status, answer["stored"]) == (200, [waiting[0]["id"]])
        asyncio.run(_shows(server, "review", "article=2"))
    assert_sound([*acknowledged, waiting[0]["id"]], [*acknowledged, waiting[0]["id"]])


async def _shows(server, page: str, query_string: str = "") -> None:
    async with Tab(server, "Ben") as tab:
        assert await tab.open(page, query_string)


def test_an_import_onto_a_full_disk_says_so_stores_no_half_article_and_works_again(disk, tmp_path, capsys):
    store(paper(pmid="1"))
    words = " ".join(f"The sample number {number} was washed in buffer." for number in range(3_000))
    (tmp_path / "long.md").write_text(f"# A long article\n\n## Results\n\n{words}")
    command = ["import", str(tmp_path / "long.md")]
    tables = ("article", "section", "paragraph", "sentence")
    with full(disk):
        before = contents(*tables)
        assert main(command) == 1
        said = capsys.readouterr().err
        assert "disk is full" in said or "disk I/O error" in said or "No space left" in said
        assert "Traceback" not in said and contents(*tables) == before
    assert main(command) == 0
    assert query("SELECT sentence_count FROM article ORDER BY id") == [(3,), (3_000,)]
    assert_sound([])


@pytest.mark.parametrize("ending", [".csv", ".xlsx", ".jsonl"])
def test_an_export_onto_a_full_disk_says_so_and_leaves_the_earlier_file_whole(disk, capsys, ending):
    store(paper(pmid="1"))
    judge("Anna", 1, verdict(0), verdict(1, "reject"))
    target = disk / f"gold{ending}"
    export(target)
    whole = target.read_bytes()
    judge("Anna", 1, verdict(2))
    with full(disk):
        assert main(["gold", "export", str(target)]) == 1
        said = capsys.readouterr().err
        assert "No space left on device" in said and "Traceback" not in said
        assert target.read_bytes() == whole
        assert sorted(path.name for path in disk.iterdir() if "gold" in path.name) == [
            target.name,
            f"{target.name}.manifest.json",
        ]
    assert main(["gold", "export", str(target)]) == 0
    assert target.read_bytes() != whole


def test_an_upload_is_refused_where_little_is_free(disk):
    from pages.parts.articles.uploads import FREE_BYTES, disk_is_short

    assert DISK_BYTES < FREE_BYTES
    database()
    assert disk_is_short()


def test_a_search_index_that_finds_no_room_is_named_and_the_old_one_goes_on(disk: Path) -> None:
    store(paper(pmid="1"))
    update()
    with full(disk), pytest.raises(IndexNotWritten, match=r"the disk of .* is full"):
        update(anew=True)
    assert asked("TP53").count == 1
    store(paper(pmid="2"))
    with full(disk):
        assert catch_up() == 1  # the job tells why
    assert (asked("TP53").count, catch_up(), asked("TP53").count) == (1, 0, 2)


# --- Damaged models ---


def truncated(weights: Path) -> None:
    with weights.open("r+b") as file:
        file.truncate(weights.stat().st_size // 2)


def flipped(weights: Path) -> None:
    content = bytearray(weights.read_bytes())
    content[-100] ^= 1
    weights.write_bytes(content)


def swapped(weights: Path) -> None:
    """With the weights of another version, which would load."""
    other = weights.parent.parent / "other.safetensors"
    content = bytearray(weights.read_bytes())
    content[-4000:] = bytes(4000)
    other.write_bytes(content)
    other.replace(weights)


DAMAGES: dict[str, Callable[[Path], None]] = {
    "truncated": truncated,
    "empty": lambda weights: weights.write_bytes(b""),
    "bit flipped": flipped,
    "missing": lambda weights: weights.unlink(),
    "swapped": swapped,
    "folder missing": lambda weights: shutil.rmtree(weights.parent),
    "pickle beside it": lambda weights: (weights.parent / "pytorch_model.bin").write_bytes(b"x"),
}


@pytest.fixture
def two_versions(tiny_home: Path) -> Path:
    """A data folder whose promoted version is the second one; returns that one's weights."""
    from annotate.project.home import write

    store(*(paper(pmid=str(pmid)) for pmid in (1, 2)))
    first = proposing_version()
    embed(first)
    propose()
    second = model_folder(first).with_name("second")
    shutil.copytree(model_folder(first), second)
    with write(Right.SYSTEM) as session:
        values = {"encoder": "tiny", "manifest": first.manifest, "parent_id": first.id}
        made = register_encoder(session, second, name="second", **values)
    promote_encoder(made.id, by="Mia", label_set_sha256="x", even_if_worse=True)
    return next(second.glob("*.safetensors"))


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_version_is_never_loaded_and_the_one_before_serves_again(two_versions, damage, monkeypatch):
    DAMAGES[damage](two_versions)
    loaded: list[Path] = []
    load = model.encoder.load
    monkeypatch.setattr("model.encoder.load", lambda path, **more: loaded.append(path) or load(path, **more))
    with pytest.raises(DamagedModel, match="second"):
        embed(proposing_version())
    assert loaded == []
    # What it would have proposed with stays as it is; experts go on with what is stored.
    assert query("SELECT count(DISTINCT article_id) FROM proposal_set") == [(2,)]
    assert len(record("Anna", 1, [verdict(0)])[0]) == 1
    assert roll_back(Kind.ENCODER, by="Mia") == "tiny"
    store(paper(pmid="3"))
    assert embed(proposing_version()) > 0
    propose()
    assert [path.name for path in loaded] == [model_folder(proposing_version()).name]
    assert query("SELECT count(DISTINCT article_id) FROM proposal_set") == [(3,)]
    with pytest.raises(DamagedModel, match="second"):
        promote_encoder(find_version("second").id, by="Mia", label_set_sha256="x", even_if_worse=True)
    assert proposing_version().name == "tiny"


def test_a_version_is_not_rolled_back_to_where_it_is_damaged(two_versions):
    next(model_folder(find_version("tiny")).rglob("config.json")).unlink()
    with pytest.raises(DamagedModel, match=r"config\.json is missing"):
        roll_back(Kind.ENCODER, by="Mia")
    assert proposing_version().name == "second"


def test_the_command_line_names_the_damaged_file(two_versions, capsys):
    flipped(two_versions)
    store(paper(pmid="3"))
    assert main(["propose"]) == 1
    said = capsys.readouterr().err
    assert f"second: {two_versions.name} was changed; the version is not loaded" in said
    assert "Traceback" not in said and str(os.environ["KEYLINE_HOME"]) not in said
