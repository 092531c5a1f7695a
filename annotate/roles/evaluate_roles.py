"""How good roles and vectors are, on a labelled file. Imports torch."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

import numpy as np

from annotate.project.files.labelled_files import fields_of, labelled_rows
from annotate.project.files.packed_lines import UnreadableFile
from annotate.roles.labelled import Labelled, read_labelled, without
from annotate.roles.model_files import keep_evaluation, model_now, trained_on_now, version_now
from model.roles.retrieval import NothingShared, nearer_same, nearest_same, right_labels
from model.roles.shares import places_of

# Where fewer of the labels are among the five roles, the file is of another scheme.
MOSTLY = 0.5


def evaluate(path: Path, *, with_seen: bool = False) -> dict[str, Any]:
    """The figures of the model on a file, as `measured`. They are kept with the version, unless it has seen the
    articles, or another version came into use meanwhile."""
    version = version_now()
    figures = measured(path, with_seen=with_seen)
    if not with_seen and version_now() == version:  # else another one may have been measured
        keep_evaluation(version, path.name, figures)
    return figures


def measured(path: Path, *, with_seen: bool = False) -> dict[str, Any]:
    """Figures of a file, by what it holds, and how many rows they are of.

    Articles (`sentences`, `roles`): p_at_1 and map_at_r of the function vectors, and accuracy and weighted_f1 where the
    labels are among the five roles. Sentences (`sentence`, `function`): p_at_1 and map_at_r. Triplets (`sentence`,
    `same`, `other`): triplet_accuracy. Articles that the model was trained on are left out and counted, unless
    `with_seen`. Raises UnreadableFile.
    """
    fields = measured_fields(path)
    try:
        if fields_of(_triplet) <= fields:
            rows = labelled_rows(path, _triplet)
            vectors = [model_now().vectors(texts) for texts in zip(*rows, strict=True)]
            return {"triplet_accuracy": nearer_same(*vectors), "triplets": len(rows)}
        if "roles" in fields:
            return _articles(read_labelled(path), path, with_seen=with_seen)
        return _sentences(labelled_rows(path, _sentence))
    except NothingShared as error:
        raise UnreadableFile(f"{path.name}: {error}") from error


def measured_fields(path: Path) -> AbstractSet[str]:
    """The fields of a file's first row. Raises UnreadableFile where they are none that can be measured."""
    fields = labelled_rows(path, lambda **row: row.keys())[0]
    if "roles" in fields or any(fields_of(row) <= fields for row in (_triplet, _sentence)):
        return fields
    raise UnreadableFile(f"{path.name}: needs sentences and roles, sentence and function, or sentence, same and other")


def _triplet(sentence: str, same: str, other: str) -> tuple[str, ...]:
    return sentence, same, other


def _sentence(sentence: str, function: str) -> tuple[str, ...]:
    return sentence, function


def _articles(articles: Sequence[Labelled], path: Path, *, with_seen: bool) -> dict[str, Any]:
    known = set() if with_seen else set(trained_on_now().get("articles", ()))
    kept, seen = without(articles, known)
    if not kept:
        raise UnreadableFile(
            f"{path.name}: the model was trained on all {seen} articles; --with-seen measures all the same"
        )
    model = model_now()
    found = model.of_abstracts([article.sentences for article in kept])
    labels = [label for article in kept for label in article.labels]
    sentences = [sentence for article in kept for sentence in article.sentences]
    places = np.concatenate([places_of(len(article.sentences)) for article in kept])
    figures: dict[str, Any] = nearest_same(model.vectors(sentences, np.concatenate(found), places), labels)
    wanted = np.concatenate([article.roles for article in kept])
    if (wanted >= 0).mean() > MOSTLY:
        read = np.concatenate(found).argmax(axis=1)
        figures |= right_labels(read[wanted >= 0], wanted[wanted >= 0])
        figures["sentences_of_other_labels"] = int((wanted < 0).sum())
    return figures | {"articles": len(kept), "sentences": len(labels), "articles_trained_on": seen}


def _sentences(rows: Sequence[tuple[str, ...]]) -> dict[str, Any]:
    texts, labels = zip(*rows, strict=True)
    figures = nearest_same(model_now().vectors(texts), labels)
    return {**figures, "sentences": len(rows), "functions": len(set(labels))}
