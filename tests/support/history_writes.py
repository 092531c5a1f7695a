"""Every write that leaves an event of the history, and what the event says."""

from pathlib import Path

import pytest
from sqlalchemy.orm import Session

import db.jobs
import db.rows
from annotate.active_learning.live_ranking import propose_sentence
from annotate.articles.document_labels import import_labels, store_labels
from annotate.cli.main import main
from annotate.curation.assigning import assign
from annotate.curation.removal import remove, take_back
from annotate.curation.tags import add_labels, put_on, take_off
from annotate.evaluation.audit import record as audit
from annotate.finding.rankers.ranker_versions import use
from annotate.gold.export_file import export
from annotate.gold.import_file import import_gold
from annotate.gold.practice import finish
from annotate.gold.snapshots import freeze
from annotate.operations.backup import restore
from annotate.project.acting import Actor, Forbidden, acting
from annotate.project.home import read, write
from annotate.project.refusals import note_refusal
from annotate.project.rights import Right
from annotate.project.stored_settings import change_settings
from annotate.registry.versions import keep, roll_back
from annotate.related import verdicts as suggested
from annotate.review.queue_settings import QueueSettings
from annotate.review.verdicts import undo
from annotate.team import history
from annotate.team.adjudication import adjudicate
from annotate.team.api_tokens import note_looked_on
from annotate.team.history import Filter, events
from annotate.team.logins import log_in
from annotate.team.people import set_role
from annotate.topics.file import shipped
from annotate.topics.project_topic import use_topic
from db.tables import Promotion
from db.values import Kind
from tests.support import team
from tests.support.finding import ask, relevance, say, wish
from tests.support.labels import gene_labels
from tests.support.making import (
    comment,
    judge,
    paper,
    pmids,
    put_into_use,
    reading,
    store,
    verdict,
    version_of,
    version_without_weights,
)


def told(wanted: Filter = history.ALL, limit: int = 50) -> list[history.Event]:
    with read() as session:
        return list(events(session, wanted, limit).events)


def begin() -> None:
    store(paper(pmid="1"), paper(pmid="2"), paper(pmid=pmids("test", 1)[0]))


def verdicts() -> None:
    judge("Anna", 1, verdict(0, shown={"rank": 3, "cosine": 0.5, "ranking": "hybrid", "model": "v1"}))


class NoJob:
    """A job that nobody took for dead."""

    job_id = None

    def hold(self, session: Session) -> None:
        """Lets it be."""


def stage_of_find(_: Path) -> None:
    told: dict[str, dict] = {name: {} for name in ("settings", "trained_on", "metrics")}
    save = lambda folder: (folder / "model.safetensors").write_bytes(b"weights") and None  # noqa: E731 (a line is enough)
    keep(Kind.REL, save, NoJob(), **told)


def choice_for_find(_: Path) -> None:
    put_into_use(version_of(Kind.REL, "chosen"))
    use("none", by="Mary")


def decision() -> None:
    judge("Anna", 1, verdict(0))
    judge("Ben", 1, verdict(0, "reject"))
    adjudicate("Carla", 1, 1, "reject", seen=2, event_id="decision-1")


def audits() -> None:
    version_without_weights("v1")
    event = {"id": "audit-0001", "article": 3, "sentence": 0, "value": "correct"}
    shown = {"version": "v1", "ranking": "cosine", "rank": 1, "cosine": 0.5}
    assert audit("Anna", [event | shown]) == (["audit-0001"], [])


def gold_files(tmp_path) -> None:
    judge("Anna", 1, verdict(0))
    export(tmp_path / "gold.csv")
    import_gold(tmp_path / "gold.csv")


def promotion() -> None:
    made = version_without_weights("v1")
    with write(Right.SYSTEM) as session:
        db.rows.add(session, Promotion(kind=Kind.ENCODER, version_id=made.id, promoted_by="Mary", reason="better"))


def job() -> None:
    with write(Right.SYSTEM) as session:
        number = db.jobs.insert_job(session, "train", {})
        db.jobs.finish(session, number, "failed", error="no gold")


def other_job() -> None:
    with write(Right.SYSTEM) as session:
        db.jobs.insert_job(session, "simulate", {}, "Mary")


def articles_file(tmp_path) -> None:
    (tmp_path / "one.txt").write_text("A title\n\nHere we deleted TP53 in HeLa cells.")
    assert main(["import", str(tmp_path / "one.txt")]) == 0


def rolled_back() -> None:
    numbers = [version_without_weights(name).id for name in ("v1", "v2")]
    with write(Right.SYSTEM) as session:
        for number in numbers:
            db.rows.add(session, Promotion(kind=Kind.ENCODER, version_id=number, promoted_by="Mary", reason="promoted"))
    roll_back(Kind.ENCODER, by="Mary")


def new_role() -> None:
    with team.cheap_hashes():
        set_role(team.add("Ida"), "curator")


def login() -> None:
    with team.cheap_hashes():
        team.add("Anna")
        log_in("Anna", team.PASSWORD, address="10.0.0.1")


def refused() -> None:
    with acting(Actor("Anna")):
        with pytest.raises(Forbidden) as refusal:
            freeze("one", "majority")
        note_refusal(refusal.value)


def restored(tmp_path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KEYLINE_HOME", str(tmp_path / "restored"))
        restore(tmp_path / "copy.tar")
        assert next((event.kind, event.what[:20]) for event in told()) == ("restore", "Restored the backup ")


def labels_file(tmp_path) -> None:
    (tmp_path / "labels.csv").write_text("pmid,genes,cells,edit\n1,TP53|p53,HeLa,KO\n2,,,\n")
    import_labels(tmp_path / "labels.csv")


WRITES = {
    "a verdict": (lambda _: verdicts(), [("verdict", "Anna", "key sentence")]),
    "a decision": (lambda _: decision(), [("decision", "Carla", "not key")]),
    "a comment": (lambda _: judge("Anna", 1, comment(1, "why?")), [("comment", "Anna", "why?")]),
    "a comment taken back": (lambda _: judge("Anna", 1, comment(None, "")), [("comment", "Anna", "withdrawn")]),
    "a reading": (lambda _: judge("Anna", 1, reading()), [("reading", "Anna", "read in full: 3 sentences")]),
    "no reading": (lambda _: judge("Anna", 1, reading(False)), [("reading", "Anna", "not read in full")]),
    "an audit": (lambda _: audits(), [("audit", "Anna", "the prediction is correct")]),
    "a wish": (lambda _: say("Anna", ask("Anna"), wish(2)), [("queued", "Anna", "put into their queue")]),
    "relevance": (
        lambda _: say("Anna", ask("Anna"), relevance("x"), relevance("y", "unsure")),
        [("relevance", "Anna", "y: unsure"), ("relevance", "Anna", "x: relevant")],
    ),
    "a suggestion": (
        lambda _: suggested.say("Anna", "pmid:1", "pmid:2", False, "related-1"),
        [("related", "Anna", "pmid:2: not related")],
    ),
    "settings": (lambda _: change_settings("Mary", QueueSettings(strategy="random")), [("settings", "Mary", "queue")]),
    "a promotion": (lambda _: promotion(), [("promotion", "Mary", "v1 proposes: better")]),
    "a training": (lambda _: job(), [("training", "", "train: failed")]),
    "another job": (lambda _: other_job(), [("job", "Mary", "simulate: queued")]),
    "a rollback": (
        lambda _: rolled_back(),
        [("rollback", "Mary", "v1 proposes: rolled back"), ("promotion", "Mary", "v2 proposes: promoted")],
    ),
    "articles": (articles_file, [("job", "operator", "index: "), ("import", "operator", "import: 1 stored")]),
    "a role": (
        lambda _: new_role(),
        [
            ("role", "operator", "made Ida curator, who was annotator"),
            ("account", "operator", "added Ida as annotator"),
        ],
    ),
    "a login": (lambda _: login(), [("login", "Anna", "logged in from 10.0.0.1")]),
    "a refusal": (lambda _: refused(), [("refused", "Anna", "")]),
    "labels": (
        lambda _: store_labels(1, gene_labels("TP53", "", "KO")),
        [("labels", "operator", "no labels → genes TP53, edit KO")],
    ),
    "a tag": (lambda _: put_on([1], ["to read"]), [("tag", "operator", "tagged as to read")]),
    "a tag taken off": (
        lambda _: (put_on([1], ["to read"]), take_off([1], ["To read"])),
        [("tag", "operator", "no longer tagged as to read")],
    ),
    "a removal": (lambda _: remove([2], "off topic"), [("removal", "operator", "removed: off topic")]),
    "an article taken back": (
        lambda _: (remove([2]), take_back([2])),
        [("removal", "operator", "restored"), ("removal", "operator", "removed")],
    ),
    "an assignment": (
        lambda _: (judge("Anna", 1, comment(1, "here")), assign([2], "Anna")),
        [("queued", "operator", "assigned to Anna")],
    ),
    "labels of many": (
        lambda _: add_labels([1], gene_labels("MDM2", "", "")),
        [("labels", "operator", "no labels → genes MDM2")],
    ),
    "imported labels": (labels_file, [("labels", "operator", "no labels → genes TP53|p53, cells HeLa, edit KO")]),
    "gold files": (
        gold_files,
        [
            ("import", "operator", "imported gold from gold.csv: 0 verdicts of 1 row"),
            ("export", "operator", "exported the gold as gold.csv: 1 row"),
        ],
    ),
    "a topic": (
        lambda _: use_topic(shipped("blank").text, by="Mary", source="blank"),
        [("topic", "operator", "topic Gene editing → Blank")],
    ),
    "a stage of Find": (
        stage_of_find,
        [("ranker", "operator", "trained rel-1, which reads question and article together")],
    ),
    "a choice for Find": (
        choice_for_find,
        [
            ("promotion", "Mary", "no version serves Find's stage rel: taken out of use"),
            ("promotion", "test", "chosen serves Find's stage rel: test"),
        ],
    ),
    "an article of the practice round": (
        lambda _: finish("Anna", 1),
        [("practice", "operator", "practice round, finished")],
    ),
    "a snapshot": (
        lambda _: (judge("Anna", 1, verdict(0)), freeze("one", "majority")),
        [("snapshot", "operator", "froze the gold as one: 1 row by the rule majority")],
    ),
    "proposals that a program takes": (
        lambda _: note_looked_on(1, None),
        [("export", "operator", "took the proposals by the API")],
    ),
    "a sentence that a program proposes": (
        lambda _: propose_sentence(1, 0, "because"),
        [("proposed", "operator", "proposed sentence 0 as key: because")],
    ),
    "an undo": (
        lambda _: (judge("Anna", 1, verdict(0)), undo("Anna", 1, "undo-00001")),
        [("verdict", "Anna", "withdrawn"), ("verdict", "Anna", "key sentence")],
    ),
}
