"""Document labels for many articles at once: added to what each bears."""

from collections.abc import Collection

from annotate.articles.document_labels import (
    BATCH_ARTICLES,
    Labels,
    change_labels,
    labels_of,
    within_bounds,
)
from annotate.curation.outcome import Kept, Outcome, batches, in_project, unwatched
from annotate.project.home import write
from annotate.project.rights import Right


def add_labels(article_ids: Collection[int], labels: Labels, kept: Kept = unwatched) -> Outcome:
    """Adds document labels to the labels of articles.

    Left out: articles that bear them already, or would bear more than an article may. `kept` is called in each batch's
    transaction. Raises ValueError for none.
    """
    if labels == Labels():
        raise ValueError("name at least one label")
    outcome = Outcome(len(set(article_ids)))
    for batch in batches(article_ids, BATCH_ARTICLES):
        with write(Right.LABEL) as session:
            known = in_project(session, batch, outcome)
            stored = labels_of(session, known)
            merged = {number: stored[number].merged(labels) for number in known}
            outcome.leave_out("labelled so already", [number for number in known if merged[number] == stored[number]])
            full = [number for number in known if _is_too_much(merged[number])]
            outcome.leave_out("with more names than an article may have", full)
            wanted = {n: merged[n] for n in known if merged[n] != stored[n] and n not in full}
            outcome.done += change_labels(session, wanted)
            kept(session, outcome, batch)
    return outcome


def _is_too_much(labels: Labels) -> bool:
    try:
        within_bounds(labels)
    except ValueError:
        return True
    return False
