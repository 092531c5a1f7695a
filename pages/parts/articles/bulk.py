"""What can be done with many articles at once, and what became of it, in words."""

from collections.abc import Callable, Collection, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import db.curation.tags
import db.review.verdicts
from annotate.articles.document_labels import Labels
from annotate.curation.assigning import assign, unassign
from annotate.curation.labelling import add_labels
from annotate.curation.outcome import Outcome
from annotate.curation.removal import MAX_REASON, kept_of, remove, take_back
from annotate.curation.tags import MAX_TAG, put_on, take_off
from annotate.jobs.kinds import KINDS
from annotate.project.home import read
from annotate.project.rights import Right
from annotate.project.words import count_of
from annotate.team.people import people
from annotate.topics.project_topic import current_topic
from pages.parts.articles.article_list import Chosen
from pages.parts.articles.chosen_files import chosen_files
from pages.parts.frame.page import may
from pages.parts.frame.text import shown
from pages.parts.shared.downloads import offer
from pages.parts.shared.job_panel import job_started
from pages.parts.shared.label_form import label_fields, labels_in

TOLD, UNDO = "bulk_told", "bulk_undo"
NOBODY = "nobody: take it back"


def what_became() -> None:
    """What the last action did; after a removal with a way to undo it."""
    told = st.session_state.get(TOLD)
    if not told:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="bulk_told_box"):
        (st.error if told[0] else st.success)(shown(told[1]), width="stretch")
        if st.session_state.get(UNDO):
            st.button("Undo", key="undo_removal", icon=":material/undo:", on_click=_undo_removal)


def action_bar(wanted_rows: Sequence[int], everything: Chosen) -> None:
    """Draws the actions for the rows that are chosen, or for all that the filters find."""
    with st.container(horizontal=True, vertical_alignment="center", key="bulk_bar"):
        of_all = st.toggle(
            f"All {everything.count:,} that the filters find", key="bulk_all", disabled=not everything.count
        )
        chosen = everything if of_all else Chosen(everything.wanted, len(wanted_rows), tuple(wanted_rows))
        st.caption(f"{count_of(chosen.count, 'article')} chosen" if chosen.count else "Tick rows to choose articles.")
        for label, icon, right, draw in _ACTIONS[everything.wanted.removed]:
            if may(right):
                place = st.popover(label, icon=icon, disabled=not chosen.count)
                with place:
                    draw(place, chosen)


def _tag_form(place: DeltaGenerator, chosen: Chosen) -> None:
    with read() as session:
        known = list(db.curation.tags.tags_in_use(session))
    place.multiselect(
        f"Tags for {count_of(chosen.count, 'article')}",
        known,
        key="bulk_tags",
        accept_new_options=True,
        placeholder="Choose, or type a new one",
        help=f"Words of your own, at most {MAX_TAG} characters each. The history keeps who put one on or took it off.",
    )
    on, off = place.columns(2)
    on.button("Put on", key="bulk_tag", type="primary", on_click=_tag, args=(chosen, True), width="stretch")
    off.button("Take off", key="bulk_untag", on_click=_tag, args=(chosen, False), width="stretch")


def _tag(chosen: Chosen, on: bool) -> None:
    names = st.session_state.get("bulk_tags") or []
    what = f"{'Put' if on else 'Took'} {'; '.join(names)} {'on' if on else 'off'}"
    if _done(what, lambda ids: (put_on if on else take_off)(ids, names), chosen):
        st.session_state.bulk_tags = []


def _assign_form(place: DeltaGenerator, chosen: Chosen) -> None:
    place.selectbox(f"Who is to read {count_of(chosen.count, 'article')}", [*_persons(), NOBODY], key="bulk_person")
    place.caption("They come next in that person's queue, in the order of this list, and to nobody else.")
    place.button("Assign", key="bulk_assign", type="primary", on_click=_assign, args=(chosen,))


def _persons() -> list[str]:
    """Whoever may be handed articles: the accounts that are not disabled, without accounts the names known."""
    if accounts := people():
        return [person.name for person in accounts if not person.disabled]
    with read() as session:
        return db.review.verdicts.annotators(session)


def _assign(chosen: Chosen) -> None:
    person = st.session_state.bulk_person
    if person == NOBODY:
        _done("Took back the assignment of", unassign, chosen)
    else:
        _done(f"Assigned to {person}", lambda ids: assign(ids, person), chosen)


def _label_form(place: DeltaGenerator, chosen: Chosen) -> None:
    topic = current_topic()
    if not topic.file.kinds:
        place.caption("The topic of this project names no kinds of labels.")
        return
    with place.form("bulk_labels", border=False, clear_on_submit=True):
        label_fields(topic, Labels(), "bulk")
        st.form_submit_button(
            f"Add to {count_of(chosen.count, 'article')}", type="primary", on_click=_add_labels, args=(chosen,)
        )


def _add_labels(chosen: Chosen) -> None:
    try:
        labels = labels_in(current_topic(), Labels(), "bulk")
    except ValueError as error:
        _tell(str(error), failed=True)
        return
    _done("Added labels to", lambda ids: add_labels(ids, labels), chosen, "Proposals take them in once made anew.")


def _propose_form(place: DeltaGenerator, chosen: Chosen) -> None:
    place.caption("Ranks the sentences of these articles anew by the proposing version.")
    place.button(
        f"Propose for {count_of(chosen.count, 'article')}",
        key="bulk_propose",
        type="primary",
        on_click=_propose,
        args=(chosen,),
    )


def _propose(chosen: Chosen) -> None:
    ids = chosen.ids()
    if job_started("propose", {"article_ids": ids}):
        _tell(f"Proposing for {count_of(len(ids), 'article')} has begun.")


def _export_form(place: DeltaGenerator, chosen: Chosen) -> None:
    place.caption("The labels of these articles, and whole articles as other programs read them. None without a label.")
    for key, files in chosen_files(chosen).items():
        offer(files, key=key, stacked=key != "chosen_gold")


def _remove_form(place: DeltaGenerator, chosen: Chosen) -> None:
    place.caption(
        "They leave the queue, searches, training, evaluation and exports. Nothing that anybody said is deleted; "
        "Show: removed takes them back."
    )
    place.text_input("Why (may stay empty)", key="bulk_reason", max_chars=MAX_REASON)
    place.button(
        f"Remove {count_of(chosen.count, 'article')}",
        key="bulk_remove",
        type="primary",
        on_click=_remove,
        args=(chosen,),
    )


def _remove(chosen: Chosen) -> None:
    why = st.session_state.get("bulk_reason") or ""
    outcome = _done("Removed", lambda ids: remove(ids, why), chosen, kept_of)
    if outcome:
        st.session_state[UNDO] = outcome.done
        st.session_state.bulk_reason = ""


def _take_back_form(place: DeltaGenerator, chosen: Chosen) -> None:
    place.caption("With all that was said of them.")
    place.button(
        f"Take back {count_of(chosen.count, 'article')}",
        key="bulk_take_back",
        type="primary",
        on_click=_take_back,
        args=(chosen,),
    )


def _take_back(chosen: Chosen) -> None:
    _done("Took back", take_back, chosen)


def _undo_removal() -> None:
    ids = st.session_state.pop(UNDO)
    outcome = take_back(ids)
    _tell(outcome.in_words("Took back"))


def _done(
    what: str,
    act: Callable[[list[int]], Outcome],
    chosen: Chosen,
    more: str | Callable[[Collection[int]], str] = "",
) -> Outcome | None:
    """Does it, and keeps in words what became of it; None where it could not be done at all."""
    st.session_state.pop(UNDO, None)
    try:
        outcome = act(chosen.ids())
    except ValueError as error:
        _tell(str(error), failed=True)
        return None
    rest = (more if isinstance(more, str) else more(outcome.done)) if outcome.done else ""
    _tell(" ".join(filter(None, (outcome.in_words(what), rest))))
    st.session_state.articles_visit = st.session_state.get("articles_visit", 0) + 1  # no row stays ticked
    st.session_state.bulk_all = False
    return outcome


def _tell(words: str, *, failed: bool = False) -> None:
    st.session_state[TOLD] = failed, words[:1].upper() + words[1:]


# By whether removed articles are listed: label, icon, right, and what draws it.
_Action = tuple[str, str, Right, Callable[[DeltaGenerator, Chosen], None]]
_ACTIONS: dict[bool, tuple[_Action, ...]] = {
    False: (
        ("Tag", ":material/sell:", Right.LABEL, _tag_form),
        ("Assign", ":material/person_add:", Right.QUEUE, _assign_form),
        ("Label", ":material/label:", Right.LABEL, _label_form),
        ("Propose", ":material/auto_awesome:", KINDS["propose"].right, _propose_form),
        ("Export", ":material/download:", Right.GOLD, _export_form),
        ("Remove", ":material/delete:", Right.REMOVE, _remove_form),
    ),
    True: (("Take back", ":material/undo:", Right.REMOVE, _take_back_form),),
}
