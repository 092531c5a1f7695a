"""The recogniser as it is now: the vocabularies and the taggers of the data folder, loaded once a process."""

import hashlib
import json
import shutil
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from annotate.entities.kinds import TYPES, Vocabulary
from annotate.entities.vocabularies import lexicon_of, version_of
from annotate.project.home import folder
from annotate.project.whole_files import sync
from model.entities.kinds import EntityType
from model.entities.memory import Memory
from model.entities.recogniser import Recogniser, Taught
from model.entities.tagger import BadTagger, Tagger

ALL_VOCABULARIES = tuple(Vocabulary)
_FORMAT = 1
_MANIFEST = "taught.json"
_BEFORE = ".taggers-before"


def taggers_folder() -> Path:
    """Where the taggers lie, whether there are any or not."""
    within = folder("vocabularies")
    taggers, before = within / "taggers", within / _BEFORE
    if before.exists() and not taggers.exists():  # killed between the two names of `store_taught`
        before.rename(taggers)
    return taggers


def manifest() -> dict[str, Any]:
    """What the taggers were trained on, by whom they are read; empty where there are none, or of another release."""
    path = taggers_folder() / _MANIFEST
    try:
        told: dict[str, Any] = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return told if told.get("format") == _FORMAT else {}


def version_now(vocabularies: Collection[Vocabulary] = ALL_VOCABULARIES) -> str:
    """Names what recognises: 12 digits of a hash over the vocabularies and the taggers."""
    told = [f"{each} {version_of(each)}" for each in sorted(vocabularies)]
    return hashlib.sha256(" ".join([*told, str(manifest().get("version", ""))]).encode()).hexdigest()[:12]


def recogniser(vocabularies: Collection[Vocabulary] = ALL_VOCABULARIES) -> Recogniser:
    """A recogniser with these vocabularies, and the taggers of their types. Takes some seconds the first time.

    Raises BadTagger where the files of a tagger are damaged.
    """
    return _recogniser(tuple(sorted(vocabularies)), version_now(vocabularies), folder("vocabularies"))


@lru_cache(maxsize=1)
def _recogniser(vocabularies: tuple[Vocabulary, ...], _version: str, _within: Path) -> Recogniser:
    lexicons = {TYPES[each]: lexicon_of(each) for each in vocabularies}
    return Recogniser(lexicons, _taught(frozenset(lexicons)))


def _taught(types: Collection[EntityType]) -> Taught:
    told = manifest()
    if not told:
        return Taught()
    within = taggers_folder()
    try:
        memory = Memory.load(within / "memory.json")
    except (OSError, ValueError, KeyError) as error:
        raise BadTagger(f"the taggers of the data folder cannot be read: {error}") from error
    styles = {EntityType(kind): style for kind, style in told["styles"].items() if kind in types}
    return Taught({kind: Tagger.load(within / kind) for kind in styles}, styles, memory)


def store_taught(taught: Taught, told: dict[str, Any]) -> None:
    """Puts taggers in the place of those before, whole or not at all. `told` says what they were trained on."""
    within = folder("vocabularies")
    partial = Path(mkdtemp(prefix=".training-", dir=within))
    try:
        for kind, tagger in taught.taggers.items():
            (partial / kind).mkdir()
            tagger.save(partial / kind)
        taught.memory.save(partial / "memory.json")
        rows = {"format": _FORMAT, "styles": dict(taught.styles)} | told
        rows["version"] = hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()[:12]
        (partial / _MANIFEST).write_text(json.dumps(rows))
        for path in partial.rglob("*"):
            sync(path)
        old = within / _BEFORE
        shutil.rmtree(old, ignore_errors=True)
        if taggers_folder().exists():
            taggers_folder().rename(old)
        partial.rename(taggers_folder())
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
