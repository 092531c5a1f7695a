"""The audit on the page Check: predictions that the labels call wrong, one at a time, and what experts say of them."""

import secrets
from collections.abc import Mapping
from functools import partial

import streamlit as st

from annotate.articles.table_files import csv_text
from annotate.evaluation.audit import WITHDRAWN, AuditOutcome, audit_rows, audited, values_so_far
from annotate.evaluation.audit_queue import NOT_AUDITED, Prediction, Queue, outcomes, queue
from annotate.evaluation.evaluate_version import NotEnoughGold
from annotate.evaluation.metric_labels import change_written, written
from annotate.gold.label_sets import LabelSet, labels_now
from annotate.project.home import look_up, read
from annotate.project.rights import Right
from annotate.project.words import count_of
from annotate.proposing.llm_ranking import NotAnswered
from annotate.proposing.propose import NotEmbedded, rankings_of
from annotate.review.article_view import AUDIT_ENDPOINT
from annotate.review.keys import AUDIT, caps_of
from db.tables import ModelVersion
from db.values import Split
from model.proposing.ranking import Ranking
from pages.parts.evaluation.evaluation_tables import evaluate_button
from pages.parts.frame.page import end_with
from pages.parts.frame.rows import words_and_action
from pages.parts.frame.templates import render
from pages.parts.frame.text import shown
from pages.parts.shared.answer_buttons import TEXT_HEIGHT, Address, Asked, Choice, answer_buttons, sentence_in_place
from pages.parts.shared.downloads import CSV, File, offer
from pages.parts.shared.tables import show_table, text_table

ACTIONS = {AuditOutcome.CORRECT: "accept", AuditOutcome.WRONG: "reject", AuditOutcome.INCONCLUSIVE: "unsure"}
LABELS = {AuditOutcome.CORRECT: "Correct", AuditOutcome.WRONG: "Wrong", AuditOutcome.INCONCLUSIVE: "Unsure"}
AUDITS = Address(AUDIT_ENDPOINT, "audit-")
LIKENESS = "The mean cosine of the sentences to the query: 1 for the same meaning, about 0 for nothing in common."


def audit(expert: str, serving: ModelVersion, versions: Mapping[str, ModelVersion]) -> None:
    """Asks about the predictions of a version that the labels call wrong, and tells what was said of them."""
    label_set = look_up(labels_now)
    note, left, right = st.columns([3, 1, 1], vertical_alignment="bottom")
    note.caption(
        "An article with R key sentences has R predictions: its best-ranked sentences. A prediction without a key "
        "label is an error, or a key sentence that lacks its label. No training uses your answers here."
    )
    chosen = left.selectbox("Version", list(versions), index=list(versions).index(serving.name), key="audit_version")
    possible = look_up(rankings_of, versions[chosen])
    ranking = right.selectbox("Ranking", possible, key="audit_ranking")
    try:
        made = _frozen(versions[chosen], ranking, label_set)
    except NotEnoughGold as error:
        end_with(f"Nothing to audit: {shown(str(error))}.", "review", "Review")
    except NotAnswered as error:
        end_with(f"{shown(str(error)).capitalize()}.", icon="info")
    except NotEmbedded:
        evaluate_button("Evaluate this version", {"versions": [chosen]}, unembedded=chosen)
        st.stop()
    if made.errors:
        _card(made, expert)
    else:
        st.success("No errors: every prediction on the test articles is a key sentence.", icon=":material/check:")
    _numbers(made, label_set)


def _frozen(version: ModelVersion, ranking: Ranking, label_set: LabelSet) -> Queue:
    """The queue of this tab: ranked once, and again only for another choice or other labels."""
    wanted = (version.id, str(ranking), label_set.split_sha256[Split.TEST])
    if st.session_state.get("audit_of") != wanted:
        st.session_state.audit_queue = look_up(queue, version, ranking, label_set)
        st.session_state.audit_of = wanted
    kept: Queue = st.session_state.audit_queue
    return kept


def _card(made: Queue, expert: str) -> None:
    """Shows the error at hand and asks what the expert says; the screen moves on once it is on disk."""
    values = look_up(values_so_far)
    mine = {e.of.sentence.id: value for e in made.errors if (value := values.get(e.of.sentence.id, {}).get(expert))}
    if st.session_state.get("audit_by") != expert:
        st.session_state.pop("audit_at", None)
        st.session_state.audit_by = expert
    number = _at_hand(made, mine)
    error = made.errors[number]
    done, total = len(mine), len(made.errors)
    anybody = sum(one.of.sentence.id in values for one in made.errors)
    others = f", {anybody:,} by anybody" if anybody != done else ""
    st.progress(done / total, text=f"{done:,} of {total:,} audited by you{others}")
    text, keys = st.columns([3, 2], gap="medium")
    with text:
        place = f"Error {number + 1} of {total}, the most similar to the query first"
        st.markdown(f"**{place}** · [Open in review](/review?article={error.of.sentence.article_id})")
        sentence_in_place("audit_text", error.of, f"rank {error.rank} of its article")
    with keys:
        found = made.keys[error.of.sentence.article_id]
        st.markdown(f"**Key sentences of this article: {len(found)}**")
        with st.container(height=TEXT_HEIGHT, key="audit_keys"):
            for _, sentence in sorted(found.items()):
                st.html(render("audit_key.html.j2", text=sentence))
    st.markdown("**Is it correct that this is a key sentence of its article?**")
    _buttons(made, error, mine, expert)
    opinions = dict(values.get(error.of.sentence.id, {}))
    if mine_now := opinions.pop(expert, None):  # others' opinions are shown only to those who have given their own
        st.caption(f"You said {mine_now}." + "".join(f" {shown(name)} said {one}." for name, one in opinions.items()))


def _at_hand(made: Queue, mine: dict[int, str]) -> int:
    """The error that the tab is at; to begin with, and where that one is no error any more, the first open one."""
    ids = [error.of.sentence.id for error in made.errors]
    at = st.session_state.get("audit_at")
    if at not in ids:
        at = next((number for number in ids if number not in mine), ids[0])
        _go_to(at)
    return ids.index(at)


def _go_to(sentence_id: int) -> None:
    st.session_state.audit_at = sentence_id
    st.session_state.audit_visit = secrets.token_hex(8)


def _buttons(made: Queue, error: Prediction, mine: dict[int, str], expert: str) -> None:
    ids = [found.of.sentence.id for found in made.errors]
    number = ids.index(error.of.sentence.id)
    answers, turn = words_and_action("top")
    last = _last_judged(made, expert)
    keys = caps_of(expert, AUDIT)
    with answers:
        answer_buttons(
            st.session_state.audit_visit,
            expert,
            AUDITS,
            choices=[
                Choice(value, LABELS[value], keys[action], mine.get(error.of.sentence.id) == value)
                for value, action in ACTIONS.items()
            ],
            now=_asked(made, error),
            undo=_asked(made, last[0], last[1]) if last else None,
            undo_key=keys["undo"],
            on_stored=partial(_moved_on, made, error, mine.get(error.of.sentence.id, WITHDRAWN), expert),
        )
    for name, step in (("Previous", -1), ("Next", 1)):
        target = ids[(number + step) % len(ids)]
        key = keys[name.lower()]
        turn.button(name, key=f"audit_{name}", shortcut=key, on_click=_go_to, args=(target,))


def _asked(made: Queue, error: Prediction, value: str | None = None) -> Asked:
    """The event of an answer as `annotate.evaluation.audit.record` takes it; with the value of one that is undone."""
    event = {
        "article": error.of.sentence.article_id,
        "sentence": error.of.sentence.position,
        "version": made.version,
        "ranking": made.ranking,
        "rank": error.rank,
        "cosine": error.cosine,
    }
    return Asked(error.of.sentence.article_id, error.of.title, event if value is None else event | {"value": value})


def _last_judged(made: Queue, expert: str) -> tuple[Prediction, str] | None:
    """The error that was judged last in this tab, and its judgement before; None where there is none."""
    errors = {error.of.sentence.id: error for error in made.errors}
    done = st.session_state.get(f"audit_done_{expert}", [])
    while done and done[-1][0] not in errors:  # its label has changed, or another version is shown
        done.pop()
    return (errors[done[-1][0]], done[-1][1]) if done else None


def _moved_on(made: Queue, error: Prediction, before: str, expert: str, value: str, undone: bool) -> None:
    """Goes on once an answer is stored: to the next open error, or back to the one whose answer was taken back."""
    done = st.session_state.setdefault(f"audit_done_{expert}", [])
    if undone:
        _go_to(done.pop()[0])
        return
    done.append((error.of.sentence.id, before))
    values = look_up(values_so_far)
    ids = [found.of.sentence.id for found in made.errors]
    number = ids.index(error.of.sentence.id)
    ahead = ids[number + 1 :] + ids[:number]
    _go_to(next((found for found in ahead if expert not in values.get(found, {})), error.of.sentence.id))


def _numbers(made: Queue, label_set: LabelSet) -> None:
    with read() as session:
        rows = audit_rows(session, label_set)
        outcome = audited(session, label_set)
    found = outcomes(made, outcome)
    st.subheader("Outcome")
    numbers, table = st.columns([2, 3], gap="medium")
    with numbers:
        before, after = st.columns(2)
        before.metric("ARP as labelled", written(found.arp))
        # Streamlit tells a fall by the hyphen.
        change = change_written(found.arp_audited - found.arp).replace("−", "-") if found.added else None
        after.metric("ARP after the audit", written(found.arp_audited), change)
        st.caption(
            f"On {found.articles:,} test articles. In the second number, {count_of(found.added, 'sentence')} audited "
            "as correct count as key. It is final once every error is audited. Until then, do not compare it with "
            "other versions."
        )

        def as_csv() -> str:
            return csv_text(list(rows[0]), (row.values() for row in rows))

        offer([File("Audit as CSV", "keyline-audit.csv", CSV, Right.AUDIT, as_csv)], key="audit", disabled=not rows)
    text_table(
        [row | {"cosine": written(row["cosine"]) if row["predictions"] else "–"} for row in found.rows],
        "Outcomes of the audit",
        place=table,
        heads={"cosine": "Mean similarity"},
        helps={"cosine": LIKENESS},
    )
    with st.expander(f"All errors: {len(made.errors):,}"):
        show_table([_row(error, outcome) for error in made.errors], widths={"sentence": "large"})


def _row(error: Prediction, outcome: Mapping[int, Mapping[int, str]]) -> dict[str, object]:
    article_id, position = error.of.place
    return {
        "review": f"/review?article={article_id}",
        "outcome": outcome.get(article_id, {}).get(position, NOT_AUDITED),
        "rank": error.rank,
        "sentence": error.of.sentence.text,
        "section": error.of.sentence.section,
        "title": error.of.title,
    }
