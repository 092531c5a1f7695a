"""Versions of the encoder: the one that proposes, and when another one may be promoted."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy.orm import Session

import db.registry
import db.rows
from annotate.project.acting import own_name
from annotate.project.home import folder, read, write
from annotate.project.rights import Right
from annotate.project.whole_files import OWNER_ONLY
from annotate.proposing.comparison import compare, evaluated_before
from annotate.registry.versions import NotPromotable, promote, register, version_named
from annotate.topics.project_topic import topic_now
from db.tables import ModelVersion, Promotion
from db.values import Kind
from model.files import embedded_encoder, manifest_of
from model.proposing.ranking import Ranking

EMBEDDED = "all-MiniLM-L6-v2"


def register_encoder(
    session: Session,
    path: Path,
    *,
    name: str,
    encoder: str,
    manifest: Mapping[str, str],
    topic_sha256: str | None = None,
    **values: object,
) -> ModelVersion:
    """Records a saved encoder (inside models/) as a version for a topic, by default the project's; see `register`."""
    return register(
        session,
        Kind.ENCODER,
        path,
        name=name,
        encoder=encoder,
        manifest=manifest,
        topic_sha256=topic_sha256 or topic_now(session).sha256,
        dimension=_dimension(path),
        **values,
    )


def _dimension(path: Path) -> int:
    for config in sorted(path.rglob("*_Pooling/config.json")):
        settings = json.loads(config.read_text())
        return int(settings.get("embedding_dimension") or settings["word_embedding_dimension"])
    return int(json.loads((path / "config.json").read_text())["hidden_size"])


def proposing_version() -> ModelVersion:
    """The promoted version; on a new database the embedded encoder becomes it."""
    with read() as session:
        version = db.registry.encoder_in_use(session)
    if version is not None:
        return version
    target = embedded_folder()
    manifest = manifest_of(target)
    with write(Right.SYSTEM) as session:
        version = db.registry.encoder_in_use(session)
        if version is None:
            version = register_encoder(session, target, name=EMBEDDED, encoder=EMBEDDED, manifest=manifest)
            chosen = {"promoted_by": "Keyline", "reason": "the embedded encoder, to begin with"}
            db.rows.add(session, Promotion(kind=Kind.ENCODER, version_id=version.id, **chosen))
    return version


def embedded_folder() -> Path:
    """The embedded encoder's folder in models/; it is copied there where it is missing."""
    target = folder("models") / EMBEDDED
    if not target.exists():
        copy_embedded(target)
    return target


def copy_embedded(target: Path) -> None:
    """Copies the embedded encoder next to the target and renames it, so that it is there whole or not at all."""
    with TemporaryDirectory(dir=target.parent, prefix="partial-") as parent:
        partial = Path(parent) / target.name
        shutil.copytree(embedded_encoder(), partial, ignore=shutil.ignore_patterns(".*", "README*", "data_config.json"))
        for path in (partial, *partial.rglob("*")):  # the package's modes let others read, as befits a package
            path.chmod(0o700 if path.is_dir() else OWNER_ONLY)
        try:
            partial.rename(target)
        except OSError:
            if not target.exists():  # else another process was faster, with the same files
                raise


def find_version(name: str | None) -> ModelVersion:
    """The encoder of this name, or the proposing one for None. Raises ValueError that lists the names."""
    return proposing_version() if name is None else version_named(name, Kind.ENCODER)


def promote_encoder(
    version_id: int,
    *,
    by: str,
    label_set_sha256: str,
    even_if_worse: bool = False,
    ranking: str = Ranking.HYBRID,
    why: str = "",
) -> None:
    """Makes a version the proposing one, once its files are sound and its numbers are known and not shown to be worse.

    Raises NotPromotable and DamagedModel. `even_if_worse` promotes in spite of worse numbers, or of none: there may be
    no labels to measure on. It helps neither with numbers on other labels nor where another version was promoted
    meanwhile.
    """
    with read() as session:
        version = db.rows.get(session, ModelVersion, version_id)
    if version is None:
        raise NotPromotable(f"there is no version {version_id}")

    def gate(session: Session, candidate: ModelVersion) -> str:
        found = compare(session, candidate.id, label_set_sha256, ranking)
        outdated = evaluated_before(session, candidate.id, ranking)
        if found.worse is None and (outdated or not even_if_worse):
            raise NotPromotable(f"{candidate.name} was not evaluated on the present labels; evaluate it first")
        if (arps := found.means("arp")) and found.worse and not even_if_worse:
            before, after = arps
            raise NotPromotable(
                f"{candidate.name} ranks worse than the version in use by more than chance: "
                f"ARP {after:.3f} after {before:.3f}"
            )
        doubt = {True: "worse", False: "", None: "not evaluated"}[found.worse]
        return f"promoted, {doubt}, after a second confirmation" if doubt else "promoted"

    promote(Kind.ENCODER, version, by=own_name(by), why=why, gate=gate)
