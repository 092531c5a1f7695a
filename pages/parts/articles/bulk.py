"""Actions on many articles at once, and their outcomes in words."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import db.curation
import db.review.verdicts
from annotate.articles.document_labels import Labels
from annotate.curation.outcome import Outcome
from annotate.curation.removal import MAX_REASON, kept_of
from annotate.curation.tags import MAX_TAG
from annotate.gold.export_file import download, download_manifest
from annotate.gold.formats.export import download_documents
from annotate.gold.label_sets import Basis, live_gold
from annotate.jobs.kinds import KINDS
from annotate.jobs.many_articles import ACTIONS, AT_ONCE, as_given, asked, at_once, what_became_of
from annotate.project.home import look_up
from annotate.project.rights import Right
from annotate.project.words import count_of
from annotate.team.people import people
from annotate.topics.project_topic import current_topic
from pages.parts.articles.article_list import Chosen
from pages.parts.frame.page import may
from pages.parts.frame.text import shown
from pages.parts.shared.downloads import File, offer
from pages.parts.shared.gold_files import document_files, table_files
from pages.parts.shared.job_panel import job_started, latest_job
from pages.parts.shared.label_form import label_fields, labels_in

MESSAGE, UNDO, JOB = "bulk_told", "bulk_undo", "bulk_job"
NOBODY = "no person: unassign"
# What is said besides of the articles that an action was done for.
MORE: dict[str, Callable[[Collection[int]], str]] = {
    "add_labels": lambda _: "The next proposals use them.",
    "remove": kept_of,
}


def what_became() -> None:
    """What the last action did, once it is over; after a removal with a way to undo it."""
    if job_id := st.session_state.get(JOB):
        became = look_up(what_became_of, job_id)
        if became:
            del st.session_state[JOB]
            _keep_outcome(became.action, became.outcome, became.words, failed=not became.went_well)
    message = st.session_state.get(MESSAGE)
    if not message:
        return
    failed, words = message
    with st.container(horizontal=True, vertical_alignment="center", key="bulk_told_box"):
        (st.error if failed else st.success)(shown(words), width="stretch")
        if st.session_state.get(UNDO):
            args = (st.session_state[UNDO],)
            st.button("Undo", key="undo_removal", icon=":material/undo:", on_click=_take_back, args=args)


def action_bar(wanted_rows: Sequence[int], everything: Chosen) -> None:
    """Draws the actions for the rows that are chosen, or for all that the filters find."""
    with st.container(horizontal=True, vertical_alignment="center", key="bulk_bar"):
        of_all = st.toggle(f"All {everything.count:,} found", key="bulk_all", disabled=not everything.count)
        chosen = everything if of_all else Chosen(everything.wanted, len(wanted_rows), tuple(wanted_rows))
        st.caption(f"{count_of(chosen.count, 'article')} chosen" if chosen.count else "Tick rows to choose articles.")
        for label, right, draw in _ACTIONS[everything.wanted.removed]:
            if may(right):
                place = st.popover(label, disabled=not chosen.count)
                with place:
                    draw(place, chosen)


def _tag_form(place: DeltaGenerator, chosen: Chosen) -> None:
    known = list(look_up(db.curation.tags_in_use))
    place.multiselect(
        f"Tags for {count_of(chosen.count, 'article')}",
        known,
        key="bulk_tags",
        accept_new_options=True,
        placeholder="Choose, or type a new one",
        help=f"Your own words, at most {MAX_TAG} characters each. The history keeps who added or removed them.",
    )
    on, off = place.columns(2)
    on.button("Add", key="bulk_tag", type="primary", on_click=_tag, args=(chosen, True))
    off.button("Remove", key="bulk_untag", on_click=_tag, args=(chosen, False))


def _tag(chosen: Chosen, on: bool) -> None:
    names = st.session_state.get("bulk_tags") or []
    what = f"{'Put' if on else 'Took'} {'; '.join(names)} {'on' if on else 'off'}"
    if _do("put_on" if on else "take_off", what, chosen.ids(), tags=names):
        st.session_state.bulk_tags = []


def _assign_form(place: DeltaGenerator, chosen: Chosen) -> None:
    accounts = people()
    persons = [one.name for one in accounts if not one.disabled] if accounts else look_up(db.review.verdicts.readers)
    person = place.selectbox(
        f"Who is to read {count_of(chosen.count, 'article')}",
        [*persons, NOBODY],
        index=None,
        key="bulk_person",
        placeholder="Choose a person",
    )
    place.caption("They come next in that person's queue, in this order. Other people do not get them.")

    def assign() -> None:
        if person == NOBODY:
            _do("unassign", "Unassigned", chosen.ids())
        elif person:
            _do("assign", f"Assigned to {person}", chosen.ids(), person=person)

    place.button("Assign", key="bulk_assign", type="primary", on_click=assign, disabled=person is None)


def _label_form(place: DeltaGenerator, chosen: Chosen) -> None:
    topic = current_topic()
    if not topic.file.kinds:
        place.caption("The topic of this project has no document labels.")
        return

    def add() -> None:
        try:
            labels = labels_in(current_topic(), Labels(), "bulk")
        except ValueError as error:
            _tell(str(error), failed=True)
        else:
            _do("add_labels", "Added labels to", chosen.ids(), labels=as_given(labels))

    with place.form("bulk_labels", border=False, clear_on_submit=True):
        label_fields(topic, Labels(), "bulk")
        st.form_submit_button(f"Add to {count_of(chosen.count, 'article')}", type="primary", on_click=add)


def _propose_form(place: DeltaGenerator, chosen: Chosen) -> None:
    place.caption("The version in use ranks the sentences of these articles again.")

    def propose() -> None:
        ids = chosen.ids()
        if job_started("propose", {"article_ids": ids}):
            _tell(f"Proposing for {count_of(len(ids), 'article')} has begun.")

    label = f"Propose for {count_of(chosen.count, 'article')}"
    place.button(label, key="bulk_propose", type="primary", on_click=propose)


def _export_form(place: DeltaGenerator, chosen: Chosen) -> None:
    place.caption(
        "The labels of these articles, and whole articles as other programs read them. Articles without labels are "
        "left out."
    )
    for key, files in chosen_files(chosen).items():
        offer(files, key=key, stacked=key != "chosen_gold")


def chosen_files(chosen: Chosen) -> dict[str, list[File]]:
    """The files by the place where they are offered; each is made of the articles as they are when asked for."""

    def basis() -> Basis:
        ids = frozenset(chosen.ids())
        if ids.isdisjoint(look_up(live_gold).lines):
            raise ValueError("none of these articles holds a labelled sentence")
        return Basis(articles=ids)

    stem, summary = "keyline-articles", {"articles_chosen": chosen.count}
    tables = table_files(stem, summary, lambda ending: download(ending, basis()), lambda: download_manifest(basis()))
    documents = document_files(stem, summary, lambda name: download_documents(name, basis()))
    return {"chosen_gold": tables, "chosen_documents": documents}


def _remove_form(place: DeltaGenerator, chosen: Chosen) -> None:
    place.caption(
        "They leave the queue, searches, training, evaluation and exports. Verdicts and comments stay. "
        "To restore articles, choose Show: removed."
    )
    place.text_input("Reason (optional)", key="bulk_reason", max_chars=MAX_REASON)

    def remove() -> None:
        if _do("remove", "Removed", chosen.ids(), reason=st.session_state.get("bulk_reason") or ""):
            st.session_state.bulk_reason = ""

    label = f"Remove {count_of(chosen.count, 'article')}"
    place.button(label, key="bulk_remove", type="primary", on_click=remove)


def _take_back_form(place: DeltaGenerator, chosen: Chosen) -> None:
    place.caption("With all their verdicts and comments.")
    label = f"Restore {count_of(chosen.count, 'article')}"
    place.button(label, key="bulk_take_back", type="primary", on_click=_take_back, args=(chosen,))


def _take_back(which: Chosen | list[int]) -> None:
    _do("take_back", "Restored", which if isinstance(which, list) else which.ids())


def _do(action: str, what: str, article_ids: list[int], **given: Any) -> bool:
    """Does the action, or begins a job for it where the articles are many; False where it cannot be done at all."""
    try:
        if len(article_ids) > AT_ONCE:
            return _begin_job(action, asked(action, what, article_ids, given))
        outcome = at_once(action, article_ids, given)
    except ValueError as error:
        st.session_state.pop(UNDO, None)
        _tell(str(error), failed=True)
        return False
    _keep_outcome(action, outcome, outcome.in_words(what))
    return True


def _begin_job(action: str, payload: dict[str, Any]) -> bool:
    kind = ACTIONS[action].kind
    if not job_started(kind, payload):
        return False
    job = latest_job(kind)
    st.session_state[JOB] = job.id if job else None
    st.session_state.pop(MESSAGE, None)
    _untick()
    return True


def _keep_outcome(action: str, outcome: Outcome, words: str, *, failed: bool = False) -> None:
    """Keeps in words what became of it, with what belongs to that, and the way back from a removal."""
    st.session_state.pop(UNDO, None)
    besides = MORE.get(action)
    more = besides(outcome.done) if besides and outcome.done else ""
    if action == "remove" and outcome.done:
        st.session_state[UNDO] = outcome.done
    _tell(" ".join(filter(None, (words, more))), failed=failed)
    _untick()


def _untick() -> None:
    """No row stays chosen."""
    st.session_state.articles_visit = st.session_state.get("articles_visit", 0) + 1
    st.session_state.bulk_all = False


def _tell(words: str, *, failed: bool = False) -> None:
    st.session_state[MESSAGE] = failed, words[:1].upper() + words[1:]


# By whether removed articles are listed: label, right, and what draws it.
_Action = tuple[str, Right, Callable[[DeltaGenerator, Chosen], None]]
_ACTIONS: dict[bool, tuple[_Action, ...]] = {
    False: (
        ("Tag", Right.LABEL, _tag_form),
        ("Assign", Right.QUEUE, _assign_form),
        ("Label", Right.LABEL, _label_form),
        ("Propose", KINDS["propose"].right, _propose_form),
        ("Export", Right.GOLD, _export_form),
        ("Remove", Right.REMOVE, _remove_form),
    ),
    True: (("Restore", Right.REMOVE, _take_back_form),),
}
