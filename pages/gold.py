"""Gold: the labels as of now, counted and exported, and frozen under a name by a stated rule."""

import streamlit as st

from annotate.gold.label_sets import live_gold
from annotate.gold.rows import live_manifest
from annotate.project.home import read
from annotate.project.words import count_of
from db.gold import has_comments, snapshots
from pages.parts.frame.page import end_with, open_page
from pages.parts.gold.live import counts, downloads, groups, remarks, row_list
from pages.parts.gold.snapshots import freeze_form, snapshot_table
from pages.parts.review.sentence_history import say_what_was_undone, sentence_history
from pages.parts.shared.tables import ABOUT

open_page()
say_what_was_undone()
with read() as session:
    live = live_gold(session)
    summary = live_manifest(session, live)
    empty = not (live.lines or has_comments(session) or snapshots(session))
if empty:
    end_with("No labels yet. Accept or reject proposals, or import a gold file.", "review", "Review")

counts(summary)
left, right = st.columns([3, 2], gap="medium")
with left:
    st.caption(f"From {count_of(summary['articles'], 'article')}.")
    downloads(live, summary)
with right:
    groups(summary)
sentences, frozen, comments = st.tabs(["Sentences", "Frozen", "Comments"])
with sentences:
    row_list(live)
with frozen:
    freeze_form()
    snapshot_table()
with comments:
    remarks()
if sentence_id := st.session_state.pop(ABOUT, None):
    sentence_history(sentence_id)
