"""How each function that writes is called with real arguments, and the right that it needs.

A function that writes and is not named here fails a test: whoever adds one says who may call it.
"""

import argparse
import itertools
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

import db.entities
from annotate.active_learning import live_ranking
from annotate.active_learning.queue import hand_out
from annotate.articles.article_rows import store
from annotate.articles.document_labels import import_labels, store_labels
from annotate.articles.importing.splitting import batches
from annotate.articles.parsing import ParsedEntry
from annotate.cli import project
from annotate.curation.assigning import assign, unassign
from annotate.curation.removal import remove, take_back
from annotate.curation.tags import add_labels, put_on, take_off
from annotate.encoders.tasks.registry import TaskFolder
from annotate.entities.proposed_labels import confirm
from annotate.evaluation import audit
from annotate.evaluation.measuring_again import MeasuringSettings
from annotate.finding.asking import exports, saved
from annotate.finding.question import Question
from annotate.gold import export_file, practice, snapshots
from annotate.gold.import_file import import_gold
from annotate.gold.sample import store_labels as store_sample
from annotate.jobs.kinds import KINDS
from annotate.jobs.lifecycle import enqueue
from annotate.operations import backup_schedule, personal_data
from annotate.operations.watched_folder import WatchSettings
from annotate.project.acting import OPERATOR, acting, current_actor, role_of
from annotate.project.home import home, read, write
from annotate.project.menu_settings import MenuSettings
from annotate.project.rights import Right, may
from annotate.project.stored_settings import change_settings, settings_now
from annotate.proposing.answers.llm_settings import LlmConsent, LlmSettings
from annotate.proposing.encoder_versions import promote_encoder
from annotate.proposing.roles import RankingSettings
from annotate.registry.versions import roll_back
from annotate.related import verdicts as suggested
from annotate.retraining.retrain_policy import RetrainPolicy, When
from annotate.review import assignments
from annotate.review.article_view import end_tour, reading_view
from annotate.review.keys import choose_keys
from annotate.review.queue_settings import QueueSettings
from annotate.review.sentence_roles import FunctionSettings
from annotate.review.verdicts import record, undo
from annotate.roles import own
from annotate.team import api_tokens, history, logins, people
from annotate.team.adjudication import adjudicate
from annotate.topics.project_topic import use_topic
from annotate.webhook.webhook_settings import WebhookSettings
from db.values import Kind
from tests.support.labels import gene_labels
from tests.support.making import judge, paper, propose_with, query, store_proposed, verdict, version_without_weights
from tests.support.team import NAMES, PASSWORD, browser, team
from tests.support.topics import SMALL

Call = Callable[[str], Any]
_number = itertools.count(1)


def make_world() -> None:
    """A team, articles with proposals that two disagree on, versions to promote, and something of every kind."""
    with acting(OPERATOR):
        team()
        store_proposed(3)
        judge("Anna", 1, verdict(0, "accept"), verdict(1, "accept"))
        judge("Cora", 1, verdict(0, "reject"), verdict(1, "accept"))
        assignments.take("Anna", 2)
        for name in NAMES:
            saved.keep(name, saved.Asked(Question("words"), ("words",)))
        with write(Right.SYSTEM) as session:
            db.entities.replace_scan(session, 1, "v", 1, [], [_proposal(rank) for rank in range(1, 200)])
        own.create("operator", "a function", _sentences(3))
        one, two = version_without_weights("one"), version_without_weights("two")
        for version in (one, two) * 20:  # each roll-back takes one away
            propose_with(version)


def _proposal(rank: int) -> dict[str, Any]:
    lists: dict[str, list[Any]] = {"identifiers": [], "synonyms": [], "sentences": []}
    return {"kind": "gene", "rank": rank, "name": f"GENE{rank}", "probability": 0.9, **lists}


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
    logins.end_my_login((browser(me)[1].login_id if has_one else None) or 999)


def _revoke_a_token() -> None:
    """Of one's own, for whoever may have any."""
    with read() as session:
        has_one = may(role_of(session, current_actor()), Right.REVIEW)
    if has_one:
        api_tokens.make(f"token {next(_number)}")
    api_tokens.revoke(api_tokens.my_tokens()[0].id if has_one else 999)


def _person() -> str:
    return f"Person {next(_number)}"


def _added() -> int:
    """An account to change."""
    with acting(OPERATOR):
        return people.add(_person(), "annotator", password=PASSWORD)


def _erasable() -> str:
    """A person to erase."""
    name = _person()
    with acting(OPERATOR):
        people.add(name, "annotator", password=PASSWORD)
    return name


def _promote(me: str) -> None:
    """Of two versions the one that does not propose."""
    ((serving,),) = query("SELECT version_id FROM promotion ORDER BY id DESC LIMIT 1")
    ((other,),) = query("SELECT id FROM model_version WHERE id != :id ORDER BY id LIMIT 1", id=serving)
    promote_encoder(other, by=me, label_set_sha256="", even_if_worse=True)


def _proposed() -> int:
    """The next of the labels that are proposed for article 1."""
    numbers = [number for (number,) in query("SELECT id FROM label_proposal ORDER BY id")]
    return int(numbers[next(_number) % len(numbers)])


def _question(me: str) -> int:
    """A question of this person, asked now where they have none."""
    found = query("SELECT q.id FROM question q JOIN annotator a ON a.id = q.annotator_id WHERE a.name = :name", name=me)
    return int(found[0][0]) if found else saved.keep(me, saved.Asked(Question(f"words {next(_number)}"), ("words",)))


def _sentences(count: int) -> list[int]:
    """The ids of the first sentences."""
    return [number for (number,) in query(f"SELECT id FROM sentence ORDER BY id LIMIT {count}")]


def _say(me: str) -> None:
    """Says the contrary of what was said last of a sentence."""
    ((sentence, has_it),) = query(
        "SELECT sentence_id, has_it FROM function_example WHERE function_id = 1 ORDER BY id DESC LIMIT 1"
    )
    own.say(me, 1, {sentence: not has_it})


def _measures_by_itself() -> bool:
    with read() as session:
        return settings_now(session, MeasuringSettings).by_itself


def _lab_in_menu() -> bool:
    with read() as session:
        return settings_now(session, MenuSettings).lab


def _roles_on(kind: type[FunctionSettings] | type[RankingSettings]) -> bool:
    with read() as session:
        return settings_now(session, kind).roles


# One function for every kind of settings, whose right is that of the kind.
CHANGE = "project.stored_settings.change_settings"

CALLS: dict[str, tuple[Right, Call]] = {
    "team.adjudication.adjudicate": (Right.ADJUDICATE, _adjudicate),
    f"{CHANGE} of the backups": (
        Right.OPERATE,
        lambda me: change_settings(me, backup_schedule.BackupSettings(keep=2 + next(_number))),
    ),
    f"{CHANGE} of the watched folder": (
        Right.OPERATE,
        lambda me: change_settings(me, WatchSettings(folder=f"/none/{next(_number)}")),
    ),
    "active_learning.live_ranking.propose_sentence": (
        Right.QUEUE,
        lambda me: live_ranking.propose_sentence(3, next(_number) % 3, f"{me} {next(_number)}"),
    ),
    "cli.project._backup": (Right.OPERATE, lambda me: project._backup(_one())),
    "gold.export_file.note_export": (
        Right.GOLD,
        lambda me: export_file.note_export("gold.csv", {"rows": 1}),
    ),
    "gold.import_file.import_gold": (
        Right.IMPORT,
        lambda me: import_gold(file_of("gold.csv", "pmid,sentence,label\n1,The gene is known.,1\n"), "Gold"),
    ),
    "team.history.note_download": (Right.HISTORY, lambda me: history.note_download("history.csv")),
    "articles.article_rows.store": (
        Right.IMPORT,
        lambda me: store(batches([ParsedEntry("a.xml", paper(pmid=str(5000 + next(_number))))])),
    ),
    "curation.tags.put_on": (Right.LABEL, lambda me: put_on([1], [f"tag {next(_number)}"])),
    "curation.tags.take_off": (Right.LABEL, lambda me: take_off([1], ["tag 1"])),
    "curation.removal.remove": (Right.REMOVE, lambda me: remove([999])),
    "curation.removal.take_back": (Right.REMOVE, lambda me: take_back([999])),
    "team.api_tokens.note_looked_on": (Right.GOLD, lambda me: api_tokens.note_looked_on(1, next(_number))),
    "curation.assigning.assign": (Right.QUEUE, lambda me: assign([999], "Anna")),
    "curation.assigning.unassign": (Right.QUEUE, lambda me: unassign([999])),
    "curation.tags.add_labels": (
        Right.LABEL,
        lambda me: add_labels([1], gene_labels(f"BRCA{next(_number)}", "", "")),
    ),
    "articles.document_labels.store_labels": (
        Right.LABEL,
        lambda me: store_labels(1, gene_labels(f"TP{next(_number)}", "", "")),
    ),
    "roles.own.create": (
        Right.REVIEW,
        lambda me: own.create(me, f"function {next(_number)}", _sentences(3)),
    ),
    "roles.own.say": (Right.REVIEW, _say),
    f"{CHANGE} of the roles": (
        Right.QUEUE,
        lambda me: change_settings(me, FunctionSettings(roles=not _roles_on(FunctionSettings))),
    ),
    f"{CHANGE} of the language model": (
        Right.EVALUATE,
        lambda me: change_settings(me, LlmSettings(seed=next(_number))),
    ),
    f"{CHANGE} of the consent": (
        Right.EVALUATE,
        lambda me: change_settings(me, LlmConsent(address=f"https://host{next(_number)}/v1")),
    ),
    f"{CHANGE} of the webhook": (
        Right.OPERATE,
        lambda me: change_settings(me, WebhookSettings(nonce=str(next(_number)))),
    ),
    f"{CHANGE} of the ranking": (
        Right.EVALUATE,
        lambda me: change_settings(me, RankingSettings(roles=not _roles_on(RankingSettings))),
    ),
    f"{CHANGE} of measuring": (
        Right.EVALUATE,
        lambda me: change_settings(me, MeasuringSettings(by_itself=not _measures_by_itself())),
    ),
    f"{CHANGE} of the menu": (Right.STUDY, lambda me: change_settings(me, MenuSettings(lab=not _lab_in_menu()))),
    "entities.proposed_labels.confirm": (Right.LABEL, lambda me: confirm(1, [_proposed()])),
    "articles.document_labels.import_labels": (
        Right.IMPORT,
        lambda me: import_labels(file_of("labels.csv", "pmid,genes\n1000,MDM2\n1001,MDM2\n1,MDM2\n")),
    ),
    "team.api_tokens.make": (Right.REVIEW, lambda me: api_tokens.make(f"token {next(_number)}")),
    "team.api_tokens.revoke": (Right.REVIEW, lambda me: _revoke_a_token()),
    "team.people.add": (Right.PEOPLE, lambda me: people.add(_person(), "annotator", password=PASSWORD)),
    "team.people.set_role": (Right.PEOPLE, lambda me: people.set_role(_added(), "curator")),
    "team.people.disable": (Right.PEOPLE, lambda me: people.disable(_added())),
    "team.people.enable": (Right.PEOPLE, lambda me: people.enable(_added())),
    "team.people.set_password": (Right.PEOPLE, lambda me: people.set_password(_added(), "another fine password")),
    "team.people.take_second_factor_off": (Right.PEOPLE, lambda me: people.take_second_factor_off(_added())),
    "team.people.end_sessions": (Right.PEOPLE, lambda me: people.end_sessions(_added())),
    "operations.personal_data.export": (
        Right.PEOPLE,
        lambda me: personal_data.export("Anna", home() / "anna.json"),
    ),
    "operations.personal_data.erase": (Right.PEOPLE, lambda me: personal_data.erase(_erasable())),
    "active_learning.queue.hand_out": (Right.REVIEW, hand_out),
    "review.assignments.take": (Right.REVIEW, lambda me: assignments.take(me, 3)),
    "review.assignments.finish_or_leave": (Right.REVIEW, lambda me: assignments.finish_or_leave(me, 3)),
    "review.assignments.release": (Right.QUEUE, lambda me: assignments.release(1)),
    f"{CHANGE} of the practice round": (
        Right.QUEUE,
        lambda me: change_settings(me, practice.PracticeRound(article_ids=[next(_number)])),
    ),
    f"{CHANGE} of the queue": (
        Right.QUEUE,
        lambda me: change_settings(me, QueueSettings(lease_minutes=30 + next(_number))),
    ),
    f"{CHANGE} of the tasks": (
        Right.EVALUATE,
        lambda me: change_settings(me, TaskFolder(folder=f"tasks {next(_number)}")),
    ),
    "review.article_view.reading_view": (Right.REVIEW, lambda me: reading_view(1, me)),
    f"{CHANGE} of the training": (
        Right.TRAIN,
        lambda me: change_settings(me, RetrainPolicy(when=When.AFTER, after_verdicts=100 + next(_number))),
    ),
    "topics.project_topic.use_topic": (
        Right.TOPIC,
        lambda me: use_topic(SMALL.replace("Sleep", f"Sleep {next(_number)}"), by=me),
    ),
    "gold.sample.store_labels": (Right.IMPORT, lambda me: store_sample()),
    "team.logins.end_my_login": (Right.REVIEW, _end_a_login),
    "gold.snapshots.freeze": (Right.GOLD, lambda me: snapshots.freeze(f"frozen {next(_number)}", "majority")),
    "review.article_view.end_tour": (Right.REVIEW, end_tour),
    "review.keys.choose_keys": (Right.REVIEW, lambda me: choose_keys(me, {"accept": str(next(_number) % 10)})),
    "review.verdicts.undo": (Right.REVIEW, _undo),
    "review.verdicts.record_each": (Right.REVIEW, lambda me: record(me, 1, [verdict(1, "unsure")])),
    "finding.asking.saved.keep": (
        Right.REVIEW,
        lambda me: saved.keep(me, saved.Asked(Question(f"words {next(_number)}"), ("words",))),
    ),
    "finding.asking.saved._change": (Right.REVIEW, lambda me: saved.save(me, _question(me), f"S {next(_number)}")),
    "finding.asking.exports.import_qrels": (
        Right.REVIEW,
        lambda me: exports.import_qrels(file_of("q.txt", f"1 0 doc{next(_number)} 1\n"), me, _question(me)),
    ),
    "related.verdicts.say": (
        Right.REVIEW,
        lambda me: suggested.say(me, "pmid:1", "pmid:2", False, secrets.token_hex(16)),
    ),
    "finding.asking.saved.record": (Right.REVIEW, lambda me: saved.record(me, 1, [])),
    "gold.practice.record": (Right.REVIEW, lambda me: practice.record(me, 1, [])),
    "gold.practice.finish": (Right.REVIEW, lambda me: practice.finish(me, 1)),
    "evaluation.audit.record": (Right.AUDIT, lambda me: audit.record(me, [])),
    "registry.versions.promote": (Right.PROMOTE, _promote),
    "registry.versions.roll_back": (Right.PROMOTE, lambda me: roll_back(Kind.ENCODER, by=me)),
    **{
        f"jobs.lifecycle.enqueue {kind}": (known.right, lambda me, kind=kind: enqueue(kind, {}))  # type: ignore[misc]
        for kind, known in KINDS.items()
    },
}
# What only a job, the command line or Keyline's own threads call: its right stands in the source, and that it is asked
# for is tested of `write` itself. {function: its rights, in order}
INTERNAL: dict[str, tuple[Right, ...]] = {
    "registry.versions.keep": (Right.TRAIN,),
    "related.gate.keep_shipped": (Right.PROMOTE,),
    "operations.backup.restore": (Right.OPERATE,),
    "operations.backup.settle_dump": (Right.OPERATE,),
    "operations.backup_schedule.back_up_project": (Right.OPERATE, Right.OPERATE),
    "proposing.encoders.add_encoder": (Right.TRAIN,),
    "operations.model_files._look_at": (Right.PROMOTE,),
    "operations.model_files._embedded_anew": (Right.PROMOTE,),
    # They end or begin logins, and ask for the password or the token first; see tests/annotate/team/test_logins.py.
    "team.logins.end_my_logins": (Right.REVIEW,),
    "team.logins._by_password": (Right.REVIEW,),
}
