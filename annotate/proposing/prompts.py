"""The prompts of a version, read off its files, and the key of its stored query embeddings."""

import json
from functools import cache
from pathlib import Path

from annotate.registry.versions import model_folder
from db.tables import ModelVersion
from model.prompts import CONFIGURATION, Prompts, prompts_in


def version_prompts(version: ModelVersion) -> Prompts:
    """What the version's encoder wants before queries and sentences; none where its files are not at hand."""
    sha256 = version.manifest.get(CONFIGURATION)
    folder = model_folder(version)
    return _read(folder, sha256) if sha256 and (folder / CONFIGURATION).is_file() else Prompts()


@cache
def _read(folder: Path, _sha256: str) -> Prompts:
    """A version's files never change: the hash tells them from another project's version of this name."""
    return prompts_in(folder)


def query_key(version: ModelVersion, query: str) -> str:
    """The text under which the embedding of a query is stored: the query itself, and with it any prompts there are.

    The prompts of both sides, since it is compared with sentences: where it is found, these were embedded behind
    theirs.
    """
    prompts = version_prompts(version)
    return _behind(prompts, prompts.query, query)


def sentence_key(version: ModelVersion, sentence: str) -> str:
    """The text under which the embedding of a topic's example is stored, which stands behind the prompt of sentences,
    as the ones of articles do."""
    return _behind(version_prompts(version), "", sentence)


def _behind(prompts: Prompts, prompt: str, text: str) -> str:
    return json.dumps([prompt, prompts.document, text], ensure_ascii=False) if prompts.any else text
