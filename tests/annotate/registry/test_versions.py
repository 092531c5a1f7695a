"""Every kind of trained thing: registered, verified, promoted, rolled back, never loaded or promoted when damaged."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy.orm import Session

import annotate.registry.versions
from annotate.operations.backup import restore, write_backup
from annotate.project.acting import Actor, Forbidden, acting
from annotate.project.home import folder, read
from annotate.registry.kinds import KINDS
from annotate.registry.new_files import PARTIAL
from annotate.registry.versions import (
    NotPromotable,
    in_use,
    keep,
    listed,
    model_folder,
    promote,
    roll_back,
    rollback_target,
    verified_folder,
    version_named,
)
from db.tables import ModelVersion
from db.values import Kind
from model.files import DamagedModel
from tests.support.history_writes import NoJob
from tests.support.making import put_into_use, query, version_of

SERVING = [kind for kind, entry in KINDS.items() if not entry.is_past]
pytestmark = [pytest.mark.usefixtures("home"), pytest.mark.parametrize("kind", SERVING)]


def promotions(kind: Kind) -> list[tuple[str | None, str, str]]:
    found = query(
        "SELECT name, promoted_by, reason FROM promotion LEFT JOIN model_version ON model_version.id = version_id "
        "WHERE promotion.kind = :kind ORDER BY promotion.id",
        kind=str(kind),
    )
    return [tuple(row) for row in found]


def target(kind: Kind) -> str | None:
    with read() as session:
        found = rollback_target(session, kind)
    return found.name if found else None


def test_every_kind_has_its_line(kind):
    assert set(KINDS) == set(Kind) and KINDS[kind].title and KINDS[kind].serves


def test_a_promoted_version_serves_its_kind_alone_and_it_is_kept_who_chose_it_and_why(kind):
    one = version_of(kind, "one")
    other = version_of(Kind.REL if kind is not Kind.REL else Kind.EXT, "other")
    assert promote(kind, one, by="Anna", why=" better on ours ") == "promoted: better on ours"
    assert in_use(kind).id == one.id and promotions(kind) == [("one", "Anna", "promoted: better on ours")]
    assert promotions(Kind(other.kind)) == [] and in_use(Kind(other.kind)) is None
    with pytest.raises(NotPromotable, match=f"one {KINDS[kind].serves} already"):
        promote(kind, one, by="Anna")


def test_what_serves_before_anybody_has_chosen_is_the_newest_or_none(kind):
    version_of(kind, "one")
    two = version_of(kind, "two")
    found = in_use(kind)
    assert (found and found.id) == (two.id if KINDS[kind].newest_serves else None)
    put_into_use(version_named("one", kind))
    version_of(kind, "three")
    assert in_use(kind).name == "one"  # from then on only a promotion changes that


def test_the_gate_gives_the_reason_or_keeps_a_version_out(kind):
    def refuse(session: Session, candidate: ModelVersion) -> str:
        raise NotPromotable(f"{candidate.name} is worse")

    one = version_of(kind, "one")
    with pytest.raises(NotPromotable, match="one is worse"):
        promote(kind, one, by="Anna", gate=refuse)
    assert promotions(kind) == []
    promote(kind, one, by="Anna", gate=lambda session, candidate: "p .01")
    assert promotions(kind) == [("one", "Anna", "p .01")]


@pytest.mark.postgresql
def test_rolling_back_brings_the_version_before_back_once(kind):
    one, two = version_of(kind, "one"), version_of(kind, "two")
    for version in (one, two):
        promote(kind, version, by="Anna")
    assert target(kind) == "one" and roll_back(kind, by="Ben", why="too slow", to=one.id) == "one"
    assert in_use(kind).id == one.id and promotions(kind)[-1] == ("one", "Ben", "rolled back: too slow")
    with pytest.raises(NotPromotable, match="another version came into use meanwhile"):
        roll_back(kind, by="Ben", to=one.id)  # a click that arrives twice
    assert target(kind) is None  # what was rolled back from is not gone back to


def test_there_is_nothing_to_roll_back_to_before_a_second_version(kind):
    promote(kind, version_of(kind, "one"), by="Anna")
    with pytest.raises(NotPromotable, match="no other version was in use before"):
        roll_back(kind, by="Anna")


def test_a_kind_can_be_taken_out_of_use_and_the_version_before_comes_back(kind):
    for name in ("one", "two"):
        promote(kind, version_of(kind, name), by="Anna")
    if not KINDS[kind].none_may_serve:
        with pytest.raises(NotPromotable, match=f"there is always a version that {KINDS[kind].serves}"):
            promote(kind, None, by="Anna")
        return
    promote(kind, None, by="Anna")
    assert in_use(kind) is None and promotions(kind)[-1] == (None, "Anna", "taken out of use")
    assert roll_back(kind, by="Anna") == "two" and in_use(kind).name == "two" and target(kind) == "one"


DAMAGE: dict[str, Callable[[Path], object]] = {
    "changed": lambda path: path.write_bytes(bytes([path.read_bytes()[0] ^ 1]) + path.read_bytes()[1:]),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "missing": Path.unlink,
    "added": lambda path: (path.parent / "more.json").write_text("{}"),
    "pickle": lambda path: (path.parent / "weights.pkl").write_bytes(b"x"),
    "gone": lambda path: shutil.rmtree(path.parent),
    "swapped": lambda path: shutil.copyfile(path.parent.with_name("two") / path.name, path),
}


@pytest.mark.sqlite("files; who promotes and goes back asks both databases in other tests")
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_version_is_neither_promoted_nor_gone_back_to(kind, damage):
    one, two = version_of(kind, "one"), version_of(kind, "two")
    for version in (one, two):
        put_into_use(version)
    DAMAGE[damage](model_folder(one) / "model.safetensors")
    for change in (lambda: promote(kind, one, by="Anna"), lambda: roll_back(kind, by="Anna")):
        with pytest.raises(DamagedModel, match=r"^one: "):
            change()
    assert in_use(kind).id == two.id and verified_folder(two)


@pytest.mark.parametrize("change", ["promote", "roll back"])
@pytest.mark.postgresql
def test_of_two_who_choose_at_once_the_second_is_told(kind, change, monkeypatch):
    """What the second one saw was beside a version that is in use no more."""
    one, two, three = (version_of(kind, name) for name in ("one", "two", "three"))
    for version in (one, two):
        put_into_use(version)
    left, checked = [lambda: put_into_use(three)], annotate.registry.versions.verified_folder

    def check(version: ModelVersion) -> Path:
        if left:
            left.pop()()
        return checked(version)

    monkeypatch.setattr(annotate.registry.versions, "verified_folder", check)
    with pytest.raises(NotPromotable, match="another version came into use meanwhile"):
        promote(kind, one, by="Anna") if change == "promote" else roll_back(kind, by="Anna")
    assert in_use(kind).id == three.id


def test_a_version_is_found_by_name_and_kind_or_the_names_are_listed(kind):
    one, other = version_of(kind, "one"), version_of(Kind.REL if kind is not Kind.REL else Kind.EXT, "other")
    assert version_named("one", kind).id == one.id
    with pytest.raises(ValueError, match="no version 'other'; there are one"):
        version_named("other", kind)
    assert [each.version.id for each in listed(kind, Kind(other.kind))] == [one.id, other.id]


def test_a_training_keeps_its_version_whole_and_what_a_killed_one_left_goes(kind):
    told: dict[str, dict] = {"settings": {"seed": 1}, "trained_on": {"articles": 3}, "metrics": {"recall": 0.5}}
    within = folder(KINDS[kind].within)
    for left in (within / f"{PARTIAL}killed", within / f"find-{kind}-1"):
        left.mkdir()
        (left / "model.safetensors").write_bytes(b"half")

    def save(into: Path) -> None:
        (into / "model.safetensors").write_bytes(b"whole")

    made = keep(kind, save, NoJob(), **told)
    assert (made.name, made.metrics, made.created_by) == (f"{kind}-1", {"recall": 0.5}, "operator")
    assert (verified_folder(made) / "model.safetensors").read_bytes() == b"whole"
    assert keep(kind, save, NoJob(), parent=made, **told).name == f"{kind}-2" and listed(kind)[1].parent == f"{kind}-1"
    assert not list(within.glob(f"{PARTIAL}*"))


@pytest.mark.sqlite
def test_versions_come_back_with_a_backup(kind, tmp_path, monkeypatch):
    put_into_use(version_of(kind, "one"))
    write_backup(tmp_path / "keyline.tar")
    monkeypatch.setenv("KEYLINE_HOME", str(tmp_path / "restored"))
    restore(tmp_path / "keyline.tar")
    assert verified_folder(in_use(kind)) == tmp_path / "restored" / KINDS[kind].within / "one"


def test_nobody_promotes_or_rolls_back_without_the_right(kind):
    for name in ("one", "two"):
        put_into_use(version_of(kind, name))
    with acting(Actor("Anna")):
        with pytest.raises(Forbidden):
            promote(kind, version_named("one", kind), by="Anna")
        with pytest.raises(Forbidden):
            roll_back(kind, by="Anna")
    assert in_use(kind).name == "two"
