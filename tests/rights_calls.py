"""How each function that writes is called with real arguments, and the right that it needs.

A function that writes and is not named here fails a test: whoever adds one says who may call it.
"""

import argparse
import itertools
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from annotate import audit, backup_schedule, cli_backup, gold_export, history, people, queue, sessions, snapshots
from annotate.acting import OPERATOR, acting, current_actor, role_of
from annotate.adjudication import adjudicate
from annotate.gold_import import import_gold
from annotate.home import home, read
from annotate.ingest import ingest
from annotate.jobs import enqueue
from annotate.labels import import_labels, parse_labels, store_labels
from annotate.parsing import ParsedEntry
from annotate.queue_settings import QueueSettings, change_queue_settings
from annotate.reading import reading_view
from annotate.retrain_policy import RetrainPolicy, When, change_retrain_policy
from annotate.rights import JOBS, Right, may
from annotate.sample import store_labels as store_sample
from annotate.undo import undo
from annotate.verdicts import record
from annotate.versions import promote, rollback
from tests.making import judge, paper, propose_with, query, store_proposed, verdict, version_without_weights
from tests.team import PASSWORD, browser, team

Call = Callable[[str], Any]
_number = itertools.count(1)


def make_world() -> None:
    """A team, articles with proposals that two disagree on, versions to promote, and something of every kind."""
    with acting(OPERATOR):
        team()
        store_proposed(3)
        judge("Anna", 1, verdict(0, "accept"), verdict(1, "accept"))
        judge("Cora", 1, verdict(0, "reject"), verdict(1, "accept"))
        queue.take("Anna", 2)
        one, two = version_without_weights("one"), version_without_weights("two")
        for version in (one, two) * 20:  # each roll-back takes one away
            propose_with(version)


def file_of(name: str, text: str) -> Path:
    """A file with this text."""
    path = home() / name
    path.write_text(text)
    return path


def _adjudicate(me: str) -> None:
    ((sentence_id,),) = query("SELECT id FROM sentence WHERE article_id = 1 AND position = 0")
    ((seen,),) = query("SELECT max(id) FROM verdict WHERE sentence_id = :id", id=sentence_id)
    adjudicate(me, 1, sentence_id, "accept", seen=seen, event_id=secrets.token_hex(16))


def _undo(me: str) -> None:
    found = query("SELECT verdict.id FROM verdict JOIN annotator ON annotator.id = annotator_id WHERE name = 'Anna'")
    undo(me, found[0][0], secrets.token_hex(16))


def _one() -> argparse.Namespace:
    return argparse.Namespace(file=home() / f"copy-{next(_number)}.sqlite", models_only=False)


def _end_a_login(me: str) -> None:
    """Of one's own, for whoever may have any."""
    with read() as session:
        has_one = may(role_of(session, current_actor()), Right.REVIEW)
    sessions.end_my_login((browser(me)[1].login_id if has_one else None) or 999)


def _person() -> str:
    return f"Person {next(_number)}"


def _added() -> int:
    """An account to change."""
    with acting(OPERATOR):
        return people.add(_person(), "annotator", password=PASSWORD)


def _promote(me: str) -> None:
    """Of two versions the one that does not propose."""
    ((serving,),) = query("SELECT version_id FROM promotion ORDER BY id DESC LIMIT 1")
    ((other,),) = query("SELECT id FROM model_version WHERE id != :id ORDER BY id LIMIT 1", id=serving)
    promote(other, by=me, label_set_sha256="", even_if_worse=True)


CALLS: dict[str, tuple[Right, Call]] = {
    "adjudication.adjudicate": (Right.ADJUDICATE, _adjudicate),
    "backup_schedule.change_backup_settings": (
        Right.OPERATE,
        lambda me: backup_schedule.change_backup_settings(me, backup_schedule.BackupSettings(keep=2 + next(_number))),
    ),
    "cli_backup._backup": (Right.OPERATE, lambda me: cli_backup._backup(_one())),
    "gold_export.note_export": (Right.GOLD, lambda me: gold_export.note_export("gold.csv", {"rows": 1})),
    "gold_import.import_gold": (
        Right.IMPORT,
        lambda me: import_gold(file_of("gold.csv", "pmid,sentence,label\n1,The gene is known.,1\n"), "Gold"),
    ),
    "history.note_download": (Right.HISTORY, lambda me: history.note_download("history.csv")),
    "ingest.ingest": (
        Right.IMPORT,
        lambda me: ingest([ParsedEntry("a.xml", paper(pmid=str(5000 + next(_number))))]),
    ),
    "labels.store_labels": (Right.LABEL, lambda me: store_labels(1, parse_labels(f"TP{next(_number)}", "", ""))),
    "labels.import_labels": (
        Right.IMPORT,
        lambda me: import_labels(file_of("labels.csv", "pmid,genes\n1000,MDM2\n1001,MDM2\n1,MDM2\n")),
    ),
    "people.add": (Right.PEOPLE, lambda me: people.add(_person(), "annotator", password=PASSWORD)),
    "people.set_role": (Right.PEOPLE, lambda me: people.set_role(_added(), "curator")),
    "people.disable": (Right.PEOPLE, lambda me: people.disable(_added())),
    "people.enable": (Right.PEOPLE, lambda me: people.enable(_added())),
    "people.set_password": (Right.PEOPLE, lambda me: people.set_password(_added(), "another fine password")),
    "people.end_sessions": (Right.PEOPLE, lambda me: people.end_sessions(_added())),
    "queue.hand_out": (Right.REVIEW, queue.hand_out),
    "queue.take": (Right.REVIEW, lambda me: queue.take(me, 3)),
    "queue.finish_or_leave": (Right.REVIEW, lambda me: queue.finish_or_leave(me, 3)),
    "queue.release": (Right.QUEUE, lambda me: queue.release(1)),
    "queue_settings.change_queue_settings": (
        Right.QUEUE,
        lambda me: change_queue_settings(me, QueueSettings(lease_minutes=30 + next(_number))),
    ),
    "reading.reading_view": (Right.REVIEW, lambda me: reading_view(1, me)),
    "retrain_policy.change_retrain_policy": (
        Right.TRAIN,
        lambda me: change_retrain_policy(me, RetrainPolicy(when=When.AFTER, after_verdicts=100 + next(_number))),
    ),
    "sample.store_labels": (Right.IMPORT, lambda me: store_sample()),
    "sessions.end_my_login": (Right.REVIEW, _end_a_login),
    "snapshots.freeze": (Right.GOLD, lambda me: snapshots.freeze(f"frozen {next(_number)}", "majority")),
    "undo.undo": (Right.REVIEW, _undo),
    "verdicts._record_each": (Right.REVIEW, lambda me: record(me, 1, [verdict(1, "unsure")])),
    "audit.record": (Right.AUDIT, lambda me: audit.record(me, [])),
    "versions.promote": (Right.PROMOTE, _promote),
    "versions.rollback": (Right.PROMOTE, lambda me: rollback(by=me)),
    **{
        f"jobs.enqueue {kind}": (right, lambda me, kind=kind: enqueue(kind, {}))  # type: ignore[misc]
        for kind, right in JOBS.items()
    },
}
# What only a job, the command line or Keyline's own threads call: its right stands in the source, and that it is asked
# for is tested of `write` itself. {function: its rights, in order}
INTERNAL: dict[str, tuple[Right, ...]] = {
    "backup.restore": (Right.OPERATE,),
    "backup_schedule.back_up_project": (Right.OPERATE, Right.OPERATE),
    "encoders.add_encoder": (Right.TRAIN,),
    "gate.promote_if_better": (Right.PROMOTE,),
    "soundness.tick": (Right.PROMOTE,),
    "soundness._embedded_anew": (Right.PROMOTE,),
    # They end or begin logins, and ask for the password or the token first; see test_annotate_sessions.py.
    "sessions.end_my_logins": (Right.REVIEW,),
    "sessions.change_password": (Right.REVIEW,),
}
