"""Made-up abstracts whose sentences say what they do, and a model learnt from them."""

import gzip
import json
import random
import shutil
from pathlib import Path

import numpy as np
import pytest

import db.roles
import db.rows
from annotate.project.home import folder, write
from annotate.project.rights import Right
from annotate.registry.kinds import KINDS
from annotate.registry.versions import record
from annotate.roles.model_files import described
from annotate.roles.train_roles import train
from db.base import utc_now
from db.tables import ArticleRoles
from db.values import Kind
from model.roles import context
from model.roles.model_folder import manifest
from model.sentence_roles import ROLES

SAID = {
    "BACKGROUND": [
        "Little is known about {}.",
        "The role of {} is a matter of debate.",
        "{} has been reported before.",
    ],
    "OBJECTIVE": ["The aim of this study was to test {}.", "We sought to understand {}."],
    "METHODS": [
        "Patients with {} were randomly assigned to groups.",
        "Samples of {} were collected.",
        "We measured {}.",
    ],
    "RESULTS": ["We found that {} was significantly higher.", "There was no difference in {}.", "{} increased by 12%."],
    "CONCLUSIONS": ["In conclusion {} may be useful.", "These findings suggest that {} matters."],
}
TOPICS = "malaria asthma yeast knockout zebrafish sleep insulin maize tumours exercise".split()


def abstracts(count: int, seed: int = 0) -> list[dict[str, object]]:
    """Articles as the files of labelled abstracts have them."""
    rng = random.Random(seed)
    made: list[dict[str, object]] = []
    for number in range(count):
        roles = [role for role in SAID for _ in range(rng.randint(1, 2))]
        sentences = [rng.choice(SAID[role]).format(f"{rng.choice(TOPICS)} of line {number}") for role in roles]
        made.append({"id": str(number), "sentences": sentences, "roles": roles})
    return made


def write_abstracts(path: Path, count: int = 80, seed: int = 0) -> Path:
    """Writes them as JSON lines, compressed."""
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in abstracts(count, seed))
    return path


def learn_quickly(patch: pytest.MonkeyPatch) -> None:
    """One small network, which is enough for made-up abstracts."""
    patch.setattr(context, "NETWORKS", 1)
    patch.setattr(context, "LEAST_STEPS", 60)


def small_model(folder: Path, count: int = 80, seed: int = 0) -> None:
    """Trains a model on made-up abstracts into the data folder."""
    with pytest.MonkeyPatch.context() as patch:
        learn_quickly(patch)
        train([write_abstracts(folder / "roles.jsonl.gz", count, seed)])


def bring_models(learnt: Path) -> None:
    """Copies models out of such a folder into the data folder, and records them as versions."""
    into = folder(KINDS[Kind.ROLES].within)
    shutil.copytree(learnt, into, dirs_exist_ok=True)
    for path in learnt.glob("[!.]*"):
        record(Kind.ROLES, into / path.name, name=path.name, trained_on=described(manifest(path)))


def store_roles(article_id: int, *roles: int, version: str = "first") -> None:
    """Stores that a version read these roles, places in ROLES, as certain in an article."""
    row = {
        "article_id": article_id,
        "version": version,
        "sentence_count": len(roles),
        "roles": (255 * np.eye(len(ROLES))[list(roles)]).astype(np.uint8).tobytes(),
        "vectors": np.zeros((len(roles), 1), dtype=np.float16).tobytes(),
        "computed_at": utc_now(),
    }
    with write(Right.SYSTEM) as session:
        db.rows.put(session, ArticleRoles, [row])
