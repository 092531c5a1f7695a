"""Entities: genes, cells and organisms recognised in the text, and vocabularies loaded from files."""

from functools import partial
from pathlib import Path
from typing import Any

from annotate.articles.parsing.entry import show_name
from annotate.capabilities.capability import Capability, Payload, after_other_work
from annotate.engines.chosen import engine_of
from annotate.entities.tagging import tag_articles
from annotate.entities.vocabularies import load_vocabulary, with_other_gene_names, written_out
from annotate.jobs.lifecycle import start_after_other_work
from annotate.jobs.monitor import Monitor
from annotate.topics.project_topic import current_topic
from annotate.topics.vocabularies import vocabularies_of


def recognise_entities(payload: Payload, monitor: Monitor) -> dict[str, Any]:
    """Recognises entities in the articles that the topic's vocabularies, and taggers, have not seen as they are now."""
    if not (vocabularies := vocabularies_of(current_topic())):
        return {"articles_recognised": 0}
    monitor.report("reading the vocabularies")
    report = partial(monitor.report, "recognising names")
    with engine_of(payload) as engine:
        count = tag_articles(payload.get("article_ids"), report, monitor.cancelled, vocabularies, engine)
    monitor.stop_if_cancelled()
    if count:
        start_after_other_work("index", {})
    return {"articles_recognised": count}


def load_tables(payload: Payload, monitor: Monitor) -> dict[str, Any]:
    """Loads files of names, each whole or not at all, then recognises entities again."""
    names = {path: show_name(name) for path, name in payload.get("names", {}).items()}
    result: dict[str, Any] = {"loaded": []}
    for path in map(Path, payload["paths"]):
        progress = partial(monitor.report, f"reading {names.get(str(path), path.name)}", total=0)
        result["loaded"].append(load_vocabulary(path, names.get(str(path), ""), progress, monitor.cancelled))
        monitor.stop_if_cancelled()
        monitor.keep(result)
    return result | recognise_entities({}, monitor)


CAPABILITY = Capability(
    jobs={"entities": recognise_entities, "vocabulary": load_tables},
    rewritings={"abbreviations": written_out, "gene_synonyms": with_other_gene_names},
    after_import=(after_other_work("entities"),),
)
