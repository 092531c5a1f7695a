"""The recogniser as it is now: the vocabularies and the taggers of the data folder, loaded once a process."""

import hashlib
import json
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import Any

from annotate.entities.vocabularies import lexicon_of, version_of
from annotate.project.home import folder
from annotate.registry.kinds import KINDS
from annotate.registry.new_files import write_files
from annotate.registry.versions import in_use, model_folder, record
from annotate.topics.vocabularies import TYPES, Vocabulary
from db.values import Kind
from model.entities.memory import Memory
from model.entities.recogniser import Recogniser, Taught
from model.entities.tagger import BadTagger, Tagger
from model.entity_types import EntityType
from model.files import json_of

ALL_VOCABULARIES = tuple(Vocabulary)
_FORMAT = 1
RULES = 4  # one more where the same vocabularies and taggers find something else than in the release before
_MANIFEST = "taught.json"
WITHIN = KINDS[Kind.TAGGERS].within


def taggers_folder() -> Path | None:
    """Where the taggers in use lie; None where there are none."""
    version = in_use(Kind.TAGGERS)
    return model_folder(version) if version else None


def manifest() -> dict[str, Any]:
    """What the taggers in use were trained on, and how they are read; empty where there are none."""
    within = taggers_folder()
    return _manifest_in(within) if within else {}


def _manifest_in(path: Path) -> dict[str, Any]:
    manifest = json_of(path / _MANIFEST)
    return manifest if manifest.get("format") == _FORMAT else {}


def version_now(vocabularies: Collection[Vocabulary] = ALL_VOCABULARIES) -> str:
    """Names what recognises: 12 digits of a hash over the rules, the vocabularies and the taggers."""
    return version_with(vocabularies, taggers_folder())


def version_with(vocabularies: Collection[Vocabulary], taggers: Path | None) -> str:
    """The version of recognition with these taggers: for processes that do not ask the database."""
    parts = [f"rules {RULES}", *(f"{each} {version_of(each)}" for each in sorted(vocabularies))]
    learnt = _manifest_in(taggers).get("version", "") if taggers else ""
    return hashlib.sha256(" ".join([*parts, str(learnt)]).encode()).hexdigest()[:12]


def recogniser() -> Recogniser:
    """The recogniser with all vocabularies, and the taggers of their types. Takes some seconds the first time.

    Raises BadTagger where the files of a tagger are damaged.
    """
    return recogniser_with(ALL_VOCABULARIES, taggers_folder())


def recogniser_with(vocabularies: Collection[Vocabulary], taggers: Path | None) -> Recogniser:
    """The recogniser with the taggers of a folder: for processes that do not ask the database."""
    return _recogniser(tuple(sorted(vocabularies)), version_with(vocabularies, taggers), folder(WITHIN), taggers)


@lru_cache(maxsize=1)
def _recogniser(vocabularies: tuple[Vocabulary, ...], _version: str, _within: Path, taggers: Path | None) -> Recogniser:
    lexicons = {TYPES[each]: lexicon_of(each) for each in vocabularies}
    return Recogniser(lexicons, _taught(frozenset(lexicons), taggers))


def _taught(types: Collection[EntityType], within: Path | None) -> Taught:
    manifest = _manifest_in(within) if within else {}
    if not manifest or not within:
        return Taught()
    try:
        memory = Memory.load(within / "memory.json")
    except (OSError, ValueError, KeyError) as error:
        raise BadTagger(f"the taggers of the data folder cannot be read: {error}") from error
    styles = {EntityType(kind): style for kind, style in manifest["styles"].items() if kind in types}
    return Taught({kind: Tagger.load(within / kind) for kind in styles}, styles, memory)


def store_taught(taught: Taught, trained_on: dict[str, Any]) -> None:
    """Adds taggers to the earlier ones, whole or not at all. `trained_on` says what they were trained on."""
    facts = {"format": _FORMAT, "styles": dict(taught.styles)} | trained_on
    facts["version"] = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:12]
    name = f"taggers-{facts['version']}"

    def save(into: Path) -> str:
        for kind, tagger in taught.taggers.items():
            (into / kind).mkdir()
            tagger.save(into / kind)
        taught.memory.save(into / "memory.json")
        (into / _MANIFEST).write_text(json.dumps(facts))
        return name

    path = write_files(folder(WITHIN), save)
    learnt = {what: value for what, value in facts.items() if what != "documents"}
    record(Kind.TAGGERS, path, name=name, trained_on=learnt)
