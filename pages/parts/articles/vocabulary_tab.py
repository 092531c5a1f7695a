"""The names that are recognised in articles: what there is, and loading the official files."""

import streamlit as st

from annotate.entities.rows import BadVocabulary
from annotate.entities.vocabularies import described
from annotate.entities.vocabulary_files import FORMATS
from pages.parts.articles.importing import import_vocabulary, vocabulary_key
from pages.parts.frame.text import shown
from pages.parts.shared.job_panel import start_job


def vocabulary_tab() -> None:
    """Draws the tab: the vocabularies with their versions and hashes, the upload, and recognising anew."""
    known = ", ".join(form.name for form in FORMATS)
    st.caption(
        f"Genes, cells and organisms are found in articles by these names. Files known: {known}. "
        "Those that are too large to upload: python -m annotate vocabulary import FILE."
    )
    try:
        rows = [
            {"vocabulary": row["vocabulary"].replace("_", " "), "version": row["version"], **_told(table)}
            for row in described()
            for table in row["tables"]
        ]
    except (BadVocabulary, RuntimeError) as error:
        st.error(shown(str(error)), icon=":material/error:")
        return
    st.dataframe(rows, hide_index=True, width="stretch")
    chosen = st.file_uploader(
        "Files of names", accept_multiple_files=True, key=vocabulary_key(), type=["gz", "txt", "tsv", "obo", "dmp"]
    )
    load, anew = st.columns(2)
    load.button("Load the names", type="primary", on_click=import_vocabulary, disabled=not chosen, width="stretch")
    anew.button("Recognise in all articles", on_click=start_job, args=("entities", {}), width="stretch")


def _told(table: dict[str, object]) -> dict[str, object]:
    return {
        "source": table["source"],
        "of": table["version"],
        "entries": table.get("entries"),
        "names": table.get("names"),
        "SHA-256": str(table["sha256"])[:16],
    }
