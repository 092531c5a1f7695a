"""Frozen gold on a page: freezing, the table of snapshots, their files, and what changed between two."""

import streamlit as st

import db.verdicts
from annotate.gold_export import FORMATS, as_json, note_export
from annotate.gold_rules import WORDS, Rule
from annotate.home import read
from annotate.snapshots import (
    MOST_CHARACTERS,
    DamagedSnapshot,
    compare,
    freeze,
    last_trained,
    same_labels_as_training,
    snapshot_file,
    verify,
)
from db.snapshots import snapshots
from db.team_tables import GoldSnapshot
from pages.parts.gold_live import MEDIA
from pages.parts.text import shown
from pages.parts.times import local_time

ERROR, DONE = "gold_error", "gold_done"
SHOWN_DIFFERENCES = 500


def say_what_happened() -> None:
    """Tells what the last click here did."""
    if message := st.session_state.pop(ERROR, None):
        st.error(shown(message), icon=":material/error:")
    if message := st.session_state.pop(DONE, None):
        st.success(shown(message), icon=":material/check:")


def freeze_form() -> None:
    """Freezes the gold as of now."""
    with read() as session:
        names = db.verdicts.annotators(session)
    with st.form("freeze", border=True):
        name, rule, whose, action = st.columns([3, 2, 2, 1], vertical_alignment="bottom")
        name.text_input("Name", key="freeze_name", max_chars=MOST_CHARACTERS, placeholder="e.g. Gold of March")
        rule.selectbox("Rule", list(map(str, Rule)), format_func=str.capitalize, key="freeze_rule", help=_rules())
        whose.selectbox("Whose, for Single", names, index=None, key="freeze_annotator", placeholder="–")
        action.form_submit_button("Freeze", type="primary", on_click=_freeze, width="stretch")


def _rules() -> str:
    return "\n".join(f"- **{rule.capitalize()}**: {words}" for rule, words in WORDS.items())


def _freeze() -> None:
    state = st.session_state
    whose = state.freeze_annotator if state.freeze_rule == Rule.SINGLE else None
    try:
        row = freeze(state.freeze_name, state.freeze_rule, whose)
    except ValueError as error:
        state[ERROR] = f"Not frozen: {error}."
    else:
        state[DONE] = f"Frozen as {row.name}: {row.manifest['rows']:,} rows."


def snapshot_table() -> None:
    """All snapshots; of the chosen one the files, and the check of its hash."""
    with read() as session:
        rows = snapshots(session)
        trained = last_trained(session)
    if not rows:
        st.caption("Nothing is frozen yet. A snapshot stays as it is, whatever is judged or imported later.")
        return
    st.dataframe(
        [
            {
                "Name": row.name,
                "Rule": " of ".join(filter(None, (row.rule, row.annotator))),
                "Rows": row.manifest["rows"],
                "Key": row.manifest["by_label"].get("1", 0),
                "Not key": row.manifest["by_label"].get("0", 0),
                "Undecided": row.manifest["undecided"],
                "Frozen": local_time(row.created_at),
                "By": row.created_by,
                "Same labels as": same_labels_as_training(row, trained),
                "SHA-256": row.sha256,
            }
            for row in rows
        ],
        hide_index=True,
        width="stretch",
        column_config={
            "Same labels as": st.column_config.TextColumn(help="The version last trained, if these labels made it."),
            "Undecided": st.column_config.NumberColumn(help="Sentences that the rule left out."),
        },
    )
    chosen = st.selectbox("Snapshot", rows, format_func=lambda row: row.name, key="snapshot")
    _files(chosen)
    if len(rows) > 1:
        _comparison([row.name for row in rows])


def _files(row: GoldSnapshot) -> None:
    st.caption(shown(f"{row.manifest['rule_in_words']} Label set {row.label_set_sha256[:16]}…"))
    *columns, manifest, check = st.columns(len(FORMATS) + 2)
    for column, ending in zip(columns, FORMATS, strict=True):
        name = f"{row.name}{ending}"
        column.download_button(
            ending.strip(".").upper(),
            data=lambda ending=ending: snapshot_file(row.name, ending),
            file_name=name,
            mime=MEDIA[ending],
            key=f"snapshot{ending}",
            on_click=note_export,
            args=(name, row.manifest),
            width="stretch",
            icon=":material/download:",
        )
    manifest.download_button(
        "Manifest",
        data=as_json(row.manifest),
        file_name=f"{row.name}.manifest.json",
        mime="application/json",
        key="snapshot_manifest",
        width="stretch",
        icon=":material/fact_check:",
    )
    check.button("Verify", key="verify", on_click=_verify, args=(row.name,), width="stretch", icon=":material/shield:")


def _verify(name: str) -> None:
    try:
        found = verify(name)
    except DamagedSnapshot as error:
        st.session_state[ERROR] = f"{error}. Restore it from a backup."
    else:
        st.session_state[DONE] = f"{name} is sound: {found['rows']:,} rows with SHA-256 {found['sha256'][:16]}…"


def _comparison(names: list[str]) -> None:
    before, after = st.columns(2)
    one = before.selectbox("Compare", names, index=1, key="compare_before")
    other = after.selectbox("with", names, index=0, key="compare_after")
    if not st.toggle("Show what changed", key="comparing"):
        return
    try:
        found = compare(one, other)
    except DamagedSnapshot as error:
        st.error(shown(str(error)), icon=":material/error:")
        return
    st.caption(
        f"{found.alike:,} rows alike, {found.relabelled:,} with another label, {found.added:,} added, "
        f"{found.removed:,} removed"
        + (f"; the first {SHOWN_DIFFERENCES} shown" if len(found.differences) > SHOWN_DIFFERENCES else "")
    )
    if found.differences:
        st.dataframe(found.differences[:SHOWN_DIFFERENCES], hide_index=True, width="stretch")
