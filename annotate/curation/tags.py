"""Tags, free words that people put on articles to find them again, and document labels, for many articles at once.

Setting a tag and taking it back are rows of their own.
"""

from collections.abc import Collection, Iterable
from difflib import get_close_matches

from sqlalchemy.orm import Session

import db.curation
import db.rows
from annotate.articles.document_labels import (
    BATCH_ARTICLES,
    Labels,
    change_labels,
    labels_of,
    plain_name,
    within_bounds,
)
from annotate.curation.outcome import Kept, Outcome, batches, in_project, unwatched
from annotate.project.acting import current_actor
from annotate.project.home import write
from annotate.project.notes import Noted, note_each
from annotate.project.rights import Right
from db.tables import ArticleTag
from model.names import caseless

MAX_TAG = 40  # characters: a tag is a word or a few, which a cell of a table shows
MAX_TAGS = 30  # of one article
MAX_KNOWN = 1_000  # in the project: no person chooses among more, and a list of them is on several pages


def clean_tags(names: Iterable[str]) -> list[str]:
    """The tags as they are stored: the visible letters of each, once in any case; empty ones are left out.

    Raises ValueError for one above MAX_TAG characters.
    """
    found: dict[str, str] = {}
    for name in names:
        clean = plain_name(name)
        if len(clean) > MAX_TAG:
            raise ValueError(f"a tag has at most {MAX_TAG} characters: {clean[:30]}…")
        if clean:
            found.setdefault(caseless(clean), clean)
    return list(found.values())


def known_tag(session: Session, name: str) -> str:
    """A tag as the project spells it, in any case here; "" for none. Raises ValueError for an unknown one."""
    wanted, known = caseless(plain_name(name)), _by_case(session)
    if not wanted or wanted in known:
        return known.get(wanted, "")
    like = " and ".join(known[tag] for tag in get_close_matches(wanted, known))
    raise ValueError(f"no article was ever tagged as {name!r}{'; there is ' if like else ''}{like}")


def put_on(article_ids: Collection[int], names: Iterable[str], kept: Kept = unwatched) -> Outcome:
    """Puts tags on articles. One that is known in another case is the known one.

    Left out: articles that bear all of them already, or would bear more than MAX_TAGS. `kept` is called in each batch's
    transaction. Raises ValueError for no tag, an unusable one, and above MAX_KNOWN in the project.
    """
    return _change(article_ids, names, kept, is_set=True)


def take_off(article_ids: Collection[int], names: Iterable[str], kept: Kept = unwatched) -> Outcome:
    """Takes tags off articles; that they were there stays in the history. Left out: articles that bear none of them.

    Raises ValueError for no tag, and for an unusable one.
    """
    return _change(article_ids, names, kept, is_set=False)


def _change(article_ids: Collection[int], names: Iterable[str], kept: Kept, *, is_set: bool) -> Outcome:
    if not (wanted := clean_tags(names)):
        raise ValueError("name at least one tag")
    outcome = Outcome(len(set(article_ids)))
    for batch in batches(article_ids):
        with write(Right.LABEL) as session:
            tags = _spelled(session, wanted)
            known = in_project(session, batch, outcome)
            borne = db.curation.tags_of(session, known)
            chosen = {n: [tag for tag in tags if (tag in borne.get(n, ())) is not is_set] for n in known}
            full = [n for n in known if is_set and len(borne.get(n, ())) + len(chosen[n]) > MAX_TAGS]
            outcome.leave_out(f"with more than {MAX_TAGS} tags then", full)
            same = "tagged so already" if is_set else "not tagged so"
            outcome.leave_out(same, [number for number in known if not chosen[number]])
            _store(session, {n: chosen[n] for n in known if n not in full}, outcome, is_set=is_set)
            kept(session, outcome, batch)
    return outcome


def _spelled(session: Session, wanted: list[str]) -> list[str]:
    """The tags as the project spells them. Raises ValueError where they would be too many in all."""
    known = _by_case(session)
    if len(known | {caseless(tag): tag for tag in wanted}) > max(MAX_KNOWN, len(known)):
        raise ValueError(f"a project knows at most {MAX_KNOWN:,} tags; use one of them")
    return [known.get(caseless(tag), tag) for tag in wanted]


def _by_case(session: Session) -> dict[str, str]:
    """The tags that the project knows, by their form without case."""
    return {caseless(tag): tag for tag in reversed(db.curation.known_tags(session))}


def _store(session: Session, tags: dict[int, list[str]], outcome: Outcome, *, is_set: bool) -> None:
    who = current_actor().name
    rows = [
        {"article_id": number, "tag": tag, "is_set": is_set, "done_by": who}
        for number, names in tags.items()
        for tag in names
    ]
    db.rows.add_all(session, ArticleTag, rows)
    done = "tagged as" if is_set else "no longer tagged as"
    note_each(session, Noted.TAG, {number: f"{done} {'; '.join(names)}" for number, names in tags.items() if names})
    outcome.done += [number for number, names in tags.items() if names]


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
