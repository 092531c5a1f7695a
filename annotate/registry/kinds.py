"""The kinds of trained things, a line each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from db.values import Kind
from model.files import digests_of, manifest_of


def _all_but_figures(folder: Path) -> dict[str, str]:
    """The files of a kind whose numpy files are read without pickles. The figures of an earlier release may lie among
    them; manifests leave these out."""
    return {name: sha256 for name, sha256 in digests_of(folder).items() if name != "evaluations.json"}


@dataclass(frozen=True, slots=True)
class KindEntry:
    """What a kind is: `title` says what its versions do, `serves` what the one in use does, "rel-1 serves ...".

    `job`: what begins once another version serves, "" where nothing must. `brought`: Keyline brings a version, so that
    none serving is a choice too. `newest_serves`: as long as none was promoted. `is_past`: of an earlier release, whose
    versions are kept and serve nothing. `within`: the folder of the data folder that holds the versions' folders;
    `manifest` reads the SHA-256 of the files of one.
    """

    title: str
    serves: str
    job: str = ""
    none_may_serve: bool = False
    brought: bool = False
    newest_serves: bool = False
    is_past: bool = False
    within: str = "models"
    manifest: Callable[[Path], Mapping[str, str]] = manifest_of


KINDS: dict[Kind, KindEntry] = {
    Kind.ENCODER: KindEntry("encodes sentences and queries", "proposes", "propose"),
    Kind.REL: KindEntry("reads question and article together", "serves Find's stage rel", none_may_serve=True),
    Kind.EXT: KindEntry("picked the words that an article would be asked for", "served Find's stage ext", is_past=True),
    Kind.ABS: KindEntry("wrote the questions that an article answers", "served Find's stage abs", is_past=True),
    Kind.FUSION: KindEntry("weighed the stages of Find", "mixed Find's stages", is_past=True),
    Kind.RELATED: KindEntry(
        "brings articles near to what they cite", "serves Related's map", none_may_serve=True, brought=True
    ),
    Kind.ROLES: KindEntry(
        "tells what sentences do",
        "reads roles",
        "functions",
        newest_serves=True,
        within="functions",
        manifest=_all_but_figures,
    ),
    Kind.TAGGERS: KindEntry(
        "finds names that no vocabulary holds",
        "recognises names",
        "entities",
        newest_serves=True,
        within="vocabularies",
        manifest=_all_but_figures,
    ),
}
FOR_FINDING = (Kind.REL, Kind.RELATED)
