"""Agreement: how far annotators agree, all of them, by pair, by article and over time."""

import streamlit as st

from annotate.project.home import read
from annotate.project.rights import Right
from annotate.team.adjudication import disputes
from annotate.team.agreement import team_agreement
from model.agreement import MIN_ARTICLES
from pages.parts.frame.page import link_to, may, open_page
from pages.parts.shared.figures import show_figure
from pages.parts.team.agreement_charts import over_time, pair_matrix
from pages.parts.team.agreement_tables import article_table, downloads, headline, pair_details, unsure_caption

header = open_page()
imported = header.toggle(
    "Imported labels", value=True, key="agreement_imported", help="Count the annotators that gold files name."
)
with read() as session:
    team = team_agreement(session, imported=imported)
    disputed = disputes(session)

if not team.overall.units:
    st.info("No sentence is labelled by two annotators yet.", icon=":material/inbox:")
    st.caption("Let the queue give some articles to several annotators. None sees the verdicts of the others.")
    link_to("queue", "Queue")
    st.stop()
headline(team)
if disputed.by_article:
    st.markdown(f"**{disputed.words}.**")
    link_to("adjudicate", "Adjudicate")

left, right = st.columns([3, 2], gap="medium")
with left:
    st.subheader("By pair")
    show_figure(pair_matrix(team.pairs), key="agreement_pairs")
with right:
    st.subheader("One pair")
    pair_details(team.pairs)

st.subheader("Over time")
show_figure(over_time(team.periods, by_month=team.by_month), key="agreement_time")
st.caption(
    f"By {'month' if team.by_month else 'week'} of the last word on a sentence. The band is the 95% interval; there "
    f"is none of fewer than {MIN_ARTICLES} articles, or of one label alone."
)

st.subheader("By article")
article_table(team.articles, disputed.by_article, may_decide=may(Right.ADJUDICATE))
downloads(team, disputed.by_article)
unsure_caption(team.unsure)
