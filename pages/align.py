"""Align: two articles side by side, each sentence linked to the one of the other that does the same."""

import streamlit as st

import db.articles
import db.roles
from annotate.project.home import read
from annotate.roles.alike import NotRead, aligned
from annotate.roles.view import stored_roles
from pages.parts.frame.page import end_with, number_in_address, open_page, require_annotator
from pages.parts.roles.own_tab import aligned_view, side_of

MOST = 500  # articles in the boxes, the newest

open_page()
require_annotator()
with read() as session:
    all_ids = db.roles.read_ids(session)
    asked = number_in_address("article")
    read_ids = all_ids[-MOST:]
    if asked in all_ids and asked not in read_ids:
        read_ids.insert(0, asked)
    titles = db.articles.titles(session, read_ids)
if len(read_ids) < 2:
    end_with("Align needs two articles whose roles have been read.")
left, right = st.columns(2)
first = read_ids.index(asked) if asked in read_ids else 0
one = left.selectbox("One article", read_ids, first, format_func=lambda i: titles[i], key="one")
others = [i for i in read_ids if i != one]
other = right.selectbox("The other", others, format_func=lambda i: titles[i], key="other")
try:
    with read() as session:
        links = aligned(session, one, other)
        sides = [
            side_of(db.articles.sentences(session, [i]), stored_roles(session, i), own)
            for i, own in zip((one, other), links, strict=True)
        ]
except NotRead as error:
    st.warning(f"{str(error).capitalize()}.")
    st.stop()
aligned_view(sides[0], sides[1], key=f"align_{one}_{other}")
