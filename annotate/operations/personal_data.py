"""A person's data: written into a file for them, or erased, which leaves what they judged under a pseudonym."""

import json
import re
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

import db.articles
import db.jobs
import db.operations.personal_data
import db.review.verdicts
import db.rows
import db.team.people
from annotate.curation.assigning import unassign_from
from annotate.gold.snapshots import renamed
from annotate.project.acting import current_actor
from annotate.project.home import write
from annotate.project.names import name_key
from annotate.project.notes import Noted, note
from annotate.project.rights import Right
from annotate.project.whole_files import OWNER_ONLY, whole_file
from annotate.team.people import NoSuchPerson, keep_an_admin
from db.base import Base, table_of, utc_now
from db.finding.questions import question_sha256
from db.operations.personal_data import NAMES, WORDS, Person, remove_account, rewrite, rows_about
from db.tables import GoldSnapshot, HistoryEntry, Job, Setting, StoredQuestion

# Of no use to anybody, or of use to somebody else: hashes, secrets, packed files, curves of trainings.
LEFT_OUT = set(
    """account.password_hash account.totp_secret account.totp_step account.recovery_codes api_token.token_sha256
    gold_snapshot.content login_session.token_sha256 model_version.history report.content""".split()
)
SECRETS = {"nonce"}  # of a setting
# What of a setting and of a question's filters people write as they like.
TAGS = ("with_tag", "without_tag", "tags", "without_tags")
# What a job is asked for in names that are no person's, even where they are written alike.
NO_PEOPLE = set(
    """candidate classifier encoder encoders engine files folder folders identifiers kind match parent paths pmids
    ranking rankings settings signs spec split stage task tasks version versions watched""".split()
)
# The maps whose keys name people: how much is whose, and why articles were left out.
NAMED_KEYS = {"by_annotator", "left_out"}
Rename = Callable[[Any], Any]


def export(name: str, path: Path) -> dict[str, int]:
    """Writes what the database holds about a person as JSON: rows by table, without secrets. Returns how many rows of
    each table. Raises NoSuchPerson, OSError."""
    with write(Right.PEOPLE) as session:
        person, rename = _known(session, name, "")
        found: dict[str, list[dict[str, Any]]] = {}
        for row, own in rows_about(session, person):
            if own or _changes(row, rename):
                found.setdefault(row.__tablename__, []).append(_shown(row))
        ids = {row["article_id"] for rows in found.values() for row in rows if row.get("article_id")}
        keys = {number: article.key for number, article in db.articles.articles(session, sorted(ids)).items()}
        note(session, Noted.EXPORT, f"exported what is stored about {person.name}")
    manifest = {"person": person.name, "made_at": utc_now(), "articles": keys, "tables": found}
    with whole_file(path, mode=OWNER_ONLY) as partial:
        partial.write_text(json.dumps(manifest, ensure_ascii=False, indent=1), encoding="utf-8")
    return {name: len(rows) for name, rows in found.items()}


def erase(name: str) -> str:
    """Erases a person: account, logins, API tokens, waiting jobs and open assignments go, and their name is another one
    in all that stays. Returns that pseudonym. Raises NoSuchPerson, LastAdmin, DamagedSnapshot, and ValueError for
    oneself."""
    with write(Right.PEOPLE) as session:
        names = set(db.review.verdicts.annotators(session))
        free = (one for one in (f"person {number}" for number in count(1)) if one not in names)
        # Words that stood there before could make two questions of a person one.
        pseudonym = next(one for one in free if not any(rows_about(session, Person(one, 0, None))))
        person, rename = _known(session, name, pseudonym)
        if person.name == current_actor().name:
            raise ValueError("a person is erased by another one")
        if person.account_id:
            keep_an_admin(session, person.account_id)
            remove_account(session, person.account_id)
        db.team.people.forget_attempts(session, name_key(person.name))
        db.jobs.cancel_waiting(session, person.name)
        unassign_from(session, person.annotator_id)
        changes = [(row, _changes(row, rename)) for row, _ in rows_about(session, person)]
        changes += [(row, renamed(row, rename)) for row in db.rows.latest(session, GoldSnapshot)]
        rewrite(session, [change for change in changes if change[1]])
        note(session, Noted.ACCOUNT, f"erased who is {pseudonym} now")
    return pseudonym


def _known(session: Session, name: str, pseudonym: str) -> tuple[Person, Rename]:
    """(a person, what gives a text or a JSON value in which their name, where it stands as a word, is the pseudonym).
    Names of others, of which it is a part, stay."""
    names = db.review.verdicts.annotators(session)
    same = [one for one in names if name_key(one) == name_key(name)]
    if name in same:
        same = [name]
    found = db.operations.personal_data.known(session, same)
    if not found:
        raise NoSuchPerson(f"there is no person {name}")
    if len(found) > 1:
        raise ValueError(f"which person: {', '.join(sorted(same))}? Write the name as one of these")
    own = found[0].name
    longest_first = sorted((one for one in names if own in one), key=len, reverse=True)
    word = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")

    def rename(value: Any) -> Any:
        if isinstance(value, str):
            return word.sub(lambda match: pseudonym if match[0] == own else match[0], value)
        if isinstance(value, list):
            return [rename(one) for one in value]
        if isinstance(value, dict):
            return {key: in_keys(one) if key in NAMED_KEYS else rename(one) for key, one in value.items()}
        return value

    def in_keys(value: Any) -> Any:
        return {rename(key): rename(one) for key, one in value.items()} if isinstance(value, dict) else rename(value)

    return found[0], rename


def _changes(row: Base, rename: Rename) -> dict[str, Any]:
    """The columns of a row in which the name stands, without it; of a login, without the address too."""
    named = [column.key for column in (*NAMES, *WORDS) if column.class_ is type(row)]
    changed = {key: made for key in named if (made := _renamed(row, key, rename)) != getattr(row, key)}
    if isinstance(row, HistoryEntry) and row.kind == Noted.LOGIN and "done_by" in changed:
        changed["summary"] = row.summary.partition(" from ")[0]
    if isinstance(row, StoredQuestion) and "question" in changed:
        changed["sha256"] = question_sha256(changed["question"])
    return changed


def _renamed(row: Base, key: str, rename: Rename) -> Any:
    """A column of a row without the name. What is chosen or asked for in names of its own, such as a part of the
    articles, a folder or a journal, stays: a job may begin again."""
    value = getattr(row, key)
    match row, key:
        case Job(), "payload":
            return rename(value) | {one: value[one] for one in NO_PEOPLE & value.keys()}
        case Setting(), "content":
            return _with_tags(value, rename)
        case StoredQuestion(), "question":
            return value | {"text": rename(value["text"]), "filters": _with_tags(value["filters"], rename)}
    return rename(value)


def _with_tags(value: dict[str, Any], rename: Rename) -> dict[str, Any]:
    return value | {key: rename(value[key]) for key in TAGS if key in value}


def _shown(row: Base) -> dict[str, Any]:
    shown = {
        column.name: getattr(row, column.name) for column in table_of(type(row)).columns if str(column) not in LEFT_OUT
    }
    if isinstance(row, Setting):
        shown["content"] = {key: value for key, value in row.content.items() if key not in SECRETS}
    return shown
