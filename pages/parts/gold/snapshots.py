"""Frozen gold on a page: freezing, the table of snapshots, their files, and what changed between two."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

import db.review.verdicts
from annotate.gold.descriptions import as_json
from annotate.gold.label_sets import DISPUTED, Rule
from annotate.gold.snapshots import (
    MOST_CHARACTERS,
    DamagedSnapshot,
    compare,
    freeze,
    last_trained,
    same_labels_as_training,
    snapshot_file,
    verify,
)
from annotate.project.home import read
from annotate.project.words import count_of
from annotate.team.adjudication import disputes
from db.gold import snapshots
from db.tables import GoldSnapshot
from pages.parts.frame.messages import keep_error, show_message
from pages.parts.frame.page import link_to
from pages.parts.frame.rows import words_and_action
from pages.parts.frame.text import local_time, shown
from pages.parts.gold.live import TIED
from pages.parts.shared.downloads import offer
from pages.parts.shared.gold_files import table_files
from pages.parts.shared.tables import text_table

ERROR, DONE, WARNED, WHERE = "gold_error", "gold_done", "gold_warned", "gold_where"
COUNTED = {"1": "Key", "0": "Not key", "unsure": "Unsure", DISPUTED: "Tied"}
LABELS = {"1": "key", "0": "not key"}
# Changes of rows that were there before come first.
CHANGES = ("relabelled", "removed", "added")
SHOWN_DIFFERENCES = 500
HELPS = {
    "Tied": TIED,
    "Left out": "Judged sentences that this rule leaves out.",
    "Trained": "The last trained version, if it used these labels.",
}
COMPARED = "gold_compared"


def _say_what_happened(where: str) -> None:
    """Tells what the last click did, next to the button."""
    if st.session_state.get(WHERE) != where:
        return
    show_message(ERROR)
    show_message(DONE, st.success, "check")
    show_message(WARNED, st.warning, "warning")


def freeze_form() -> None:
    """Freezes the gold as of now."""
    with read() as session:
        names = db.review.verdicts.annotators(session)
        disputed = disputes(session)
    if disputed.by_article:
        st.warning(f"{disputed.words}: a snapshot of now leaves them undecided.", icon=":material/warning:")
        link_to("adjudicate", "Adjudicate")
    with st.form("freeze", border=True):
        fields, action = words_and_action("bottom")
        name, rule, whose = fields.columns([3, 2, 2], vertical_alignment="bottom")
        name.text_input("Name", key="freeze_name", max_chars=MOST_CHARACTERS, placeholder="e.g. Gold of March")
        rule.selectbox(
            "Rule",
            list(map(str, Rule)),
            format_func=str.capitalize,
            key="freeze_rule",
            help="\n".join(f"- **{rule.capitalize()}**: {rule.words}" for rule in Rule),
        )
        whose.selectbox("Annotator, for Single", names, index=None, key="freeze_annotator", placeholder="–")
        action.form_submit_button("Freeze", type="primary", on_click=_freeze)
    _say_what_happened("freeze")


def _freeze() -> None:
    state = st.session_state
    state[WHERE] = "freeze"
    whose = state.freeze_annotator if state.freeze_rule == Rule.SINGLE else None
    with keep_error(ERROR, "Not frozen: {}."):
        row = freeze(state.freeze_name, state.freeze_rule, whose)
        state["snapshot"] = state["compare_after"] = row.name
        tied = row.manifest["by_label"].get(DISPUTED, 0)
        state[DONE] = f"Frozen as {row.name}: {count_of(row.manifest['rows'], 'row')}."
        if tied:
            state[WARNED] = (
                f"{count_of(tied, 'row')} of them tied: neither key nor not key. Decide them, then freeze again."
            )


def snapshot_table() -> None:
    """All snapshots; of the chosen one the files, and the check of its hash."""
    with read() as session:
        rows = snapshots(session)
        trained = last_trained(session)
    if not rows:
        st.caption("No snapshot yet. Later verdicts and imports do not change a snapshot.")
        return
    shown_rows = [
        {
            "Name": row.name,
            "Rule": _rule(row),
            "Rows": row.manifest["rows"],
            **{name: row.manifest["by_label"].get(label, 0) for label, name in COUNTED.items()},
            "Left out": row.manifest["undecided"],
            "Frozen": local_time(row.created_at),
            "By": row.created_by,
            "Trained": same_labels_as_training(row, trained),
            "SHA-256": f"{row.sha256[:16]}…",
        }
        for row in rows
    ]
    text_table(shown_rows, "Snapshots", helps=HELPS)
    by_name = {row.name: row for row in rows}
    _files(by_name[st.selectbox("Snapshot", list(by_name), key="snapshot")])
    if len(rows) > 1:
        _comparison(rows)


def _rule(row: GoldSnapshot) -> str:
    return f"{row.rule} of {row.annotator}" if row.annotator else row.rule


def _files(row: GoldSnapshot) -> None:
    st.caption(shown(f"{row.manifest['rule_in_words']} Label set {row.label_set_sha256[:16]}…"))
    buttons = st.container(horizontal=True)
    make = partial(snapshot_file, row.name)
    with buttons:
        offer(table_files(row.name, row.manifest, make, lambda: as_json(row.manifest)), key="snapshot")

    def check() -> None:
        st.session_state[WHERE] = "verify"
        with keep_error(ERROR, "{}. Restore it from a backup.", (DamagedSnapshot,)):
            found = verify(row.name)
            st.session_state[DONE] = (
                f"{row.name} is sound: {count_of(found['rows'], 'row')} with SHA-256 {found['sha256'][:16]}…"
            )

    buttons.button("Verify", key="verify", on_click=check, icon=":material/shield:")
    _say_what_happened("verify")


def _comparison(rows: Sequence[GoldSnapshot]) -> None:
    rules = {row.name: _rule(row) for row in rows}
    names = list(rules)
    # The last one with that before it by the same rule: what differs is then what people did in between.
    usual = next((name for name in names[1:] if rules[name] == rules[names[0]]), names[1])
    before, after = st.columns(2)
    one = before.selectbox("Compare", names, index=names.index(usual), key="compare_before")
    other = after.selectbox("with", names, index=0, key="compare_after")
    if not st.toggle("Show what changed", key="comparing"):
        return
    # Snapshots stay as they are, so that what was compared for this tab need not be compared at each of its clicks.
    try:
        if st.session_state.get(COMPARED, ("", "", None))[:2] != (one, other):
            st.session_state[COMPARED] = one, other, compare(one, other)
        found = st.session_state[COMPARED][2]
    except DamagedSnapshot as error:
        st.error(shown(str(error)), icon=":material/error:")
        return
    st.caption(
        f"{count_of(found.alike, 'equal row')}, {found.relabelled:,} with another label, {found.added:,} added, "
        f"{found.removed:,} removed"
        + (f"; the first {SHOWN_DIFFERENCES} shown" if len(found.differences) > SHOWN_DIFFERENCES else "")
        + (f". They follow different rules: {rules[one]}, {rules[other]}." if rules[one] != rules[other] else ".")
    )
    if found.differences:
        by_change = sorted(found.differences, key=lambda row: CHANGES.index(row["change"]))
        text_table(
            [
                row
                | {place: LABELS.get(row[place], row[place]) for place in ("before", "after")}
                | {"sentence_index": row["sentence_index"] + 1}
                for row in by_change[:SHOWN_DIFFERENCES]
            ],
            "Differences",
            heads={"title": "Article", "pmid": "PMID", "sentence_index": "Sentence no."},
            helps={"before": one, "after": other},
        )
