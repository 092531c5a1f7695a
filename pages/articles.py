"""All articles: how many, which, and where to go next."""

import streamlit as st

import db.articles
import db.proposing.proposals
import db.review.verdicts
from annotate.operations.project_status import status
from annotate.project.home import read
from annotate.project.rights import Right
from annotate.related.links import link_counts
from annotate.review.assignments import withheld_from
from annotate.topics.project_topic import current_topic
from annotate.triage.standing import explanation, promises
from pages.parts.frame.page import annotator, link_to, may, open_page
from pages.parts.frame.text import shown
from pages.parts.shared.job_panel import job_panel, start_job
from pages.parts.shared.tables import show_table

ROWS = 50
PARTS = (
    "Models learn from train, are chosen by validation, and are measured on test. Fixed by the article's identifier."
)
WITHHELD = "Of articles that you may still judge beside others, only your own verdicts are counted here."

open_page()
job_panel(["import"], ended=False)  # how it ended concerns who asked for it: the Import page lists that
job_panel(["propose"])
now = status()
if not now["articles"]:
    st.info("No articles yet. Import your own, or load the sample corpus to look around.", icon=":material/inbox:")
    st.button(
        "Load the sample corpus",
        disabled=not may(Right.IMPORT),
        type="primary",
        on_click=start_job,
        args=("import", {"sample": True, "propose": True, "recognise": True}),
    )
    link_to("import_articles", "Import articles", icon=":material/upload_file:")
    st.caption(shown(f"This project looks for: {current_topic().name}. Choose another topic before you import."))
    link_to("topic", "Choose the topic", icon=":material/category:")
    st.stop()

with read() as session:
    withheld = withheld_from(session, annotator())
metrics = {"Articles": now["articles"], "Full texts": now["full_text"], "Sentences": now["sentences"]}
if not withheld:
    metrics |= {"Key sentences": now["key_sentences"], "Labelled articles": now["labelled_articles"]}
for column, (label, value) in zip(st.columns(5)[: len(metrics)], metrics.items(), strict=True):
    column.metric(label, f"{value:,}")
if withheld:
    st.caption(WITHHELD)
if (left := now["articles_to_propose"]) and not now["active_jobs"]:
    note, action = st.columns([4, 1], vertical_alignment="center")
    note.caption(f"{left:,} articles hold no proposals of the proposing version yet.")
    action.button("Propose", on_click=start_job, args=("propose", {}), width="stretch")

search, labels, page = st.columns([4, 2, 2], vertical_alignment="bottom")
text = search.text_input("Search", placeholder="Words of the title, or a PMID, PMCID or DOI", key="search")
choice = labels.selectbox("Document labels", ["any", "with names", "without"], key="labelled")
labelled = {"any": None, "with names": True, "without": False}[choice]
with read() as session:
    found = db.articles.count_articles(session, text, labelled)
pages = max(1, -(-found // ROWS))
number = page.number_input(f"Page of {pages:,}", 1, pages, 1, key=f"page_{text}_{choice}")
with read() as session:
    rows = db.articles.page_of_articles(session, text, labelled, offset=(number - 1) * ROWS, limit=ROWS)
    ids = [row.id for row in rows]
    judged = db.review.verdicts.verdict_counts(session, set(ids) - withheld)
    if withheld:
        judged |= db.review.verdicts.verdict_counts(session, withheld.intersection(ids), annotator() or "")
    proposed = db.proposing.proposals.current_sets(session, ids)
    promised = promises(session, ids)
    linked = link_counts(session, ids)
    meaning = explanation(session)
st.caption(f"{found:,} articles" if found else "Nothing found. Try fewer words, or a whole identifier.")
show_table(
    [
        {
            "review": f"/review?article={row.id}",
            "title": row.title,
            "id": row.pmcid or (f"PMID {row.pmid}" if row.pmid else row.doi or "–"),
            "year": row.year,
            "journal": row.journal,
            "sentences": row.sentence_count,
            "promise": promised[row.id].words if row.id in promised else "–",
            "judged": judged.get(row.id, 0),
            "proposals": "yes" if row.id in proposed else "–",
            "related": f"/related?article={row.id}",
            "cites": linked[row.id].cites,
            "cited by": linked[row.id].cited_by,
            "split": row.split,
        }
        for row in rows
    ],
    width="stretch",
    height="auto" if len(rows) < 15 else 560,
    column_config={
        "review": st.column_config.LinkColumn("Open", display_text="Review", width=70),
        "title": st.column_config.TextColumn("Title", width="large"),
        "id": st.column_config.TextColumn("Identifier", width=100),
        "year": st.column_config.NumberColumn("Year", format="%d", width=60),
        "journal": st.column_config.TextColumn("Journal", width=180),
        "sentences": st.column_config.NumberColumn("Sentences", width=90),
        "promise": st.column_config.TextColumn("Holds key sentences", width=150, help=meaning),
        "judged": st.column_config.NumberColumn("Judged", width=70, help="Sentences with a verdict."),
        "proposals": st.column_config.TextColumn("Proposed", width=80, help="Whether sentences are proposed."),
        "related": st.column_config.LinkColumn("Links", display_text="Related", width=75),
        "cites": st.column_config.NumberColumn("Cites", width=60, help="References of its list."),
        "cited by": st.column_config.NumberColumn("Cited by", width=70, help="Stored articles that cite it."),
        "split": st.column_config.TextColumn("Part", width=80, help=PARTS),
    },
)
