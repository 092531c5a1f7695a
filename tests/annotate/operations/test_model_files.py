"""Damaged model files: never loaded; the last sound version proposes instead; maintainers are told on every page."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import annotate.operations.model_files
import db.rows
from annotate.operations.model_files import damage_of, serving_notice, tick
from annotate.project.home import folder, read, write
from annotate.project.rights import Right
from annotate.proposing.encoder_versions import EMBEDDED, promote_encoder, proposing_version
from annotate.proposing.encoders import add_encoder
from annotate.registry.kinds import KINDS
from annotate.registry.versions import (
    NotPromotable,
    in_use,
    model_folder,
    roll_back,
    rollback_target,
    verified_folder,
)
from db.tables import ModelVersion, Promotion
from db.values import Kind
from model.files import DamagedModel
from tests.support.making import (
    paper,
    propose_with,
    put_into_use,
    query,
    store,
    verdict,
    version_of,
    version_without_weights,
)
from tests.support.paths import PAGES

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture(autouse=True)
def no_jobs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What would have been started."""
    annotate.operations.model_files._known.clear()
    started: list[str] = []
    monkeypatch.setattr(annotate.operations.model_files.lifecycle, "start", lambda kind, payload: started.append(kind))
    return started


def notice() -> str | None:
    with read() as session:
        return serving_notice(session)


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:2])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[0] ^= 1
    path.write_bytes(content)


def swap(path: Path) -> None:
    other = path.parent.parent / "older" / path.name
    shutil.copyfile(other, path)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "truncated": truncate,
    "empty": lambda path: path.write_bytes(b""),
    "bit flipped": flip,
    "missing": Path.unlink,
    "swapped": swap,
    "folder gone": lambda path: shutil.rmtree(path.parent),
    "file added": lambda path: (path.parent / "extra.json").write_text("{}"),
    "pickle added": lambda path: (path.parent / "pytorch_model.bin").write_bytes(b"x"),
}


@pytest.fixture
def two() -> tuple[ModelVersion, ModelVersion]:
    """A version that proposed, and the one that does now."""
    older, newer = version_without_weights("older"), version_without_weights("newer")
    propose_with(older)
    propose_with(newer)
    return older, newer


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_of_any_kind_lets_the_version_before_propose(two, no_jobs, kind):
    older, newer = two
    assert tick() == [] and notice() is None
    DAMAGE[kind](model_folder(newer) / "model.safetensors")
    with pytest.raises(DamagedModel):
        verified_folder(newer)
    assert tick() == ["older"]
    assert proposing_version().id == older.id and no_jobs == ["propose"]
    told = notice()
    assert told and told.startswith("older proposes, since the version before it cannot be loaded: newer")
    assert tick() == [] and query("SELECT count(*) FROM promotion") == [(3,)]  # once


@pytest.mark.parametrize("kind", [Kind.REL, Kind.RELATED, Kind.ROLES, Kind.TAGGERS])
def test_damaged_files_of_any_trained_thing_let_the_version_before_serve(no_jobs, kind):
    older, newer = version_of(kind, "older"), version_of(kind, "newer")
    for version in (older, newer):
        put_into_use(version)
    flip(model_folder(newer) / "model.safetensors")
    assert tick() == ["older"] and in_use(kind).id == older.id
    assert no_jobs == ([KINDS[kind].job] if KINDS[kind].job else [])
    assert (notice() or "").startswith(
        f"older {KINDS[kind].serves}, since the version before it cannot be loaded: newer"
    )
    flip(model_folder(older) / "model.safetensors")
    assert tick() == [] and f"older, which {KINDS[kind].serves}, are damaged" in (notice() or "")


def test_figures_that_an_earlier_release_left_are_no_damage():
    version = version_of(Kind.ROLES, "older")
    (model_folder(version) / "evaluations.json").write_text("{}")
    assert damage_of(version) is None and verified_folder(version)


def test_a_restored_folder_can_be_promoted_again_which_ends_the_notice(two):
    _, newer = two
    path = model_folder(newer) / "model.safetensors"
    sound = path.read_bytes()
    flip(path)
    tick()
    with pytest.raises(DamagedModel):
        promote_encoder(newer.id, by="Anna", label_set_sha256="", even_if_worse=True)
    with pytest.raises(NotPromotable, match="no other version was in use before"):
        roll_back(Kind.ENCODER, by="Anna")
    path.write_bytes(sound)
    promote_encoder(newer.id, by="Anna", label_set_sha256="", even_if_worse=True)
    assert notice() is None and tick() == []


def test_a_damaged_version_before_is_passed_over(two):
    _, newer = two
    third = version_without_weights("third")
    propose_with(third)
    for version in (newer, third):
        flip(model_folder(version) / "model.safetensors")
    assert tick() == ["older"]


def test_a_version_that_was_rolled_back_from_serves_only_where_nothing_else_is_sound():
    older, newer, rejected = (version_of(Kind.REL, name) for name in ("older", "newer", "rejected"))
    for version in (older, newer, rejected):
        put_into_use(version)
    roll_back(Kind.REL, by="Anna")
    served = []
    for version in (newer, older):
        flip(model_folder(version) / "model.safetensors")
        served += tick()
    assert served == ["older", "rejected"]


def test_after_damage_the_version_before_the_damaged_one_is_offered(two):
    older, newer = two
    third = version_without_weights("third")
    propose_with(third)
    flip(model_folder(third) / "model.safetensors")
    assert tick() == [newer.name] and roll_back(Kind.ENCODER, by="Anna") == older.name
    with read() as session:
        assert rollback_target(session, Kind.ENCODER) is None


@pytest.mark.parametrize("chosen", [False, True])
def test_a_version_with_damaged_files_is_not_offered_to_go_back_to(chosen):
    versions = [version_of(Kind.ROLES, name) for name in ("r1", "r2", "r3")]
    for version in versions if chosen else ():
        put_into_use(version)
    found = []
    for version in reversed(versions[1:]):
        flip(model_folder(version) / "model.safetensors")
        tick()
        with read() as session:
            found.append((target := rollback_target(session, Kind.ROLES)) and target.name)
    assert found == ["r1", None] and in_use(Kind.ROLES).name == "r1"


def test_the_embedded_encoder_is_copied_anew_from_its_package():
    version = proposing_version()
    flip(model_folder(version) / "model.safetensors")
    assert tick() == []
    assert verified_folder(version) and notice() is None
    assert query("SELECT count(*) FROM promotion") == [(1,)]


def test_where_nothing_else_has_proposed_the_embedded_encoder_does():
    only = version_without_weights("only")
    propose_with(only)
    flip(model_folder(only) / "model.safetensors")
    assert tick() == [EMBEDDED]
    assert proposing_version().name == EMBEDDED and verified_folder(proposing_version())


@pytest.mark.postgresql
def test_where_no_version_is_left_the_pages_say_so_and_nothing_is_promoted(monkeypatch):
    only = version_without_weights(EMBEDDED)  # its files are not those of the package
    propose_with(only)
    flip(model_folder(only) / "model.safetensors")
    assert tick() == []
    assert "no other version can take its place" in (notice() or "")
    assert query("SELECT count(*) FROM promotion") == [(1,)]


def test_files_are_read_again_only_where_they_look_different(two, monkeypatch):
    _, newer = two
    read_count: list[Path] = []
    real = annotate.operations.model_files.verified_folder
    monkeypatch.setattr(
        annotate.operations.model_files,
        "verified_folder",
        lambda version: read_count.append(real(version)) or read_count[-1],
    )
    for _ in range(5):
        assert damage_of(newer) is None
    assert len(read_count) == 1
    assert damage_of(newer, read_anew=True) is None and len(read_count) == 2
    monkeypatch.setattr(annotate.operations.model_files, "FULL_SECONDS", 0)
    assert damage_of(newer) is None and len(read_count) == 3


def test_an_embedding_job_never_loads_a_damaged_version(tiny_encoder):
    version = add_encoder(str(tiny_encoder), "tiny")
    with write(Right.SYSTEM) as session:
        db.rows.add(session, Promotion(kind=Kind.ENCODER, version_id=version.id, promoted_by="test", reason=""))
    store(paper(pmid="1"))
    flip(next(model_folder(version).glob("*.safetensors")))
    from annotate.proposing.embed import embed

    with pytest.raises(DamagedModel, match="was changed"):
        embed(version)
    assert query("SELECT count(*) FROM embedding") == [(0,)]


def test_the_notice_is_for_those_who_can_do_something_about_it(two, monkeypatch):
    from streamlit.testing.v1 import AppTest

    flip(model_folder(two[1]) / "model.safetensors")
    tick()
    page = PAGES / "articles.py"
    run = AppTest.from_file(str(page), default_timeout=60).run()
    assert not run.exception and any("cannot be loaded" in warning.value for warning in run.warning)
    code = "from pages.parts.frame.page import damage_notice\ndamage_notice()"
    monkeypatch.setenv("KEYLINE_AUTH", "local")  # nobody is logged in
    assert not AppTest.from_string(code, default_timeout=60).run().warning


@pytest.mark.parametrize("kind", ["truncated", "garbled", "folder gone"])
def test_with_damaged_files_the_pages_open_verdicts_are_saved_and_the_way_back_is_named(kind):
    from streamlit.testing.v1 import AppTest

    from annotate.review.verdicts import record

    store(paper(pmid="1"))
    only = version_without_weights(EMBEDDED)  # no other can take its place
    propose_with(only)
    damage = DAMAGE | {"garbled": lambda path: path.write_bytes(b"\xff{" * 50)}
    damage[kind](model_folder(only) / "model.safetensors")
    assert tick() == []
    for page in ("articles", "review", "evaluate", "retrain", "status"):
        run = AppTest.from_file(str(PAGES / f"{page}.py"), default_timeout=60)
        run.session_state.annotator = "Anna"
        run.run()
        assert not run.exception, (page, run.exception)
        assert any("Bring its folder back from a backup" in warning.value for warning in run.warning), page
    given = verdict(0)
    assert record("Anna", 1, [given]) == ([given["id"]], [])


def test_a_new_folder_without_any_version_is_left_alone():
    assert tick() == [] and notice() is None
    assert not [*folder("models").iterdir()]
