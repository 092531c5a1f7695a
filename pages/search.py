"""Search: the words of everything stored, by article or by sentence."""

import time

import streamlit as st

from annotate.operations.project_status import status
from annotate.project.home import read
from annotate.search.entries import field_names
from annotate.search.index_files import DamagedIndex, stored_index
from annotate.search.queries import BadQuery
from annotate.search.reading import read_query
from annotate.search.search import Narrowing, search, shown
from pages.parts.frame.page import annotator, end_with, open_page
from pages.parts.search.search_results import (
    ROWS,
    asked_for,
    bad_query,
    bring_up,
    counted,
    hits,
    page_chosen,
    turn_pages,
)

open_page()
if not status()["articles"]:
    end_with("No articles yet: there is nothing to search.", "import_articles", "Import articles")
asked = asked_for(annotator())
bring_up()
if not asked.typed and asked.narrowing == Narrowing():
    st.caption("Type words, or choose filters. The question mark next to the box tells what else it understands.")
    st.stop()
try:
    index = stored_index()
    if index is None:
        st.stop()
    begun = time.perf_counter()
    with read() as session:
        query = read_query(asked.typed, field_names(session))
        found = search(
            session,
            index,
            query,
            sentences=asked.sentences,
            narrowing=asked.narrowing,
            limit=ROWS,
            offset=ROWS * page_chosen(asked),
        )
        told = shown(session, index, query, found.hits)
    counted(found, sentences=asked.sentences, seconds=time.perf_counter() - begun)
    hits(told)
    turn_pages(found.count)
except BadQuery as error:
    bad_query(error, asked.typed)
except DamagedIndex:  # between two looks at it; the next one begins it again
    st.warning("The index cannot be read just now. Search once more.", icon=":material/sync_problem:")
