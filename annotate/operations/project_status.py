"""Where things stand, in one object: for the command line and the first page."""

from typing import Any

import db.articles
import db.curation
import db.jobs
import db.proposing
import db.registry
import db.review.progress
from annotate.articles.works import divided_works
from annotate.gold.label_sets import labels_now
from annotate.jobs.lifecycle import reap
from annotate.project.home import home, read
from annotate.proposing.encoder_versions import proposing_version
from db.curation import Wanted


def status() -> dict[str, Any]:
    """Counts of articles, proposals, labels and verdict events; versions, and jobs that are active."""
    reap()
    version = proposing_version()
    with read() as session:
        label_set = labels_now(session)
        labels = [label for given in label_set.labels.values() for label in given.values()]
        return {
            "home": str(home()),
            **db.articles.totals(session),
            "removed_articles": db.curation.count_listed(session, Wanted(removed=True)),
            "works_in_two_splits": len(divided_works(session)),
            "articles_with_proposals": db.proposing.count_proposed(session),
            "articles_to_propose": db.proposing.count_to_propose(session, version.id),
            "verdict_events": db.review.progress.count_verdicts(session),
            "labelled_articles": len(label_set.labels),
            "key_sentences": sum(labels),
            "other_labels": len(labels) - sum(labels),
            "articles_read_in_full": len(label_set.read),
            "label_set_sha256": label_set.sha256,
            "proposing_version": version.name,
            "versions": [row.name for row in db.registry.encoders(session)],
            "active_jobs": [
                {"id": job.id, "kind": job.kind, "state": job.state, "progress": job.progress}
                for job in db.jobs.active(session)
            ],
        }
