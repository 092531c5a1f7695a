"""The names that are recognised in articles: what there is, and loading the official files."""

import streamlit as st

from annotate.entities.loaders import BadVocabulary
from annotate.entities.vocabularies import described
from annotate.entities.vocabulary_files import FORMATS
from annotate.project.release import PROGRAM
from annotate.project.rights import Right
from annotate.registry.versions import listed
from db.tables import ModelVersion
from db.values import Kind
from pages.parts.articles.importing import import_vocabulary, import_vocabulary_path, upload_key
from pages.parts.frame.page import may
from pages.parts.frame.rows import words_and_action
from pages.parts.frame.text import shown
from pages.parts.shared.job_panel import start_job
from pages.parts.shared.tables import text_table
from pages.parts.shared.trained_versions import versions_panel


def vocabulary_tab() -> None:
    """Draws the tab: the vocabularies with their versions and hashes, the upload, and recognising again."""
    known = ", ".join(form.name for form in FORMATS)
    st.caption(
        f"Genes, cells and organisms are found in articles by these names. Files known: {known}. "
        f"Files of up to {int(st.get_option('server.maxUploadSize'))} MB can be uploaded, also packed as .gz. Larger "
        f"ones, as cellosaurus.txt, are read where Keyline runs: {PROGRAM} vocabulary import FILE."
    )
    try:
        rows = [
            {
                "vocabulary": row["vocabulary"].replace("_", " "),
                "version": row["version"],
                "source": table["source"],
                "of": table["version"],
                "entries": table.get("entries"),
                "names": table.get("names"),
                "SHA-256": table["sha256"][:16],
            }
            for row in described()
            for table in row["tables"]
        ]
    except (BadVocabulary, RuntimeError) as error:
        st.error(shown(str(error)), icon=":material/error:")
        return
    text_table(rows, "Vocabularies")
    chosen = st.file_uploader(
        "Files of names",
        accept_multiple_files=True,
        key=upload_key("vocabulary"),
        type=["gz", "txt", "tsv", "obo", "dmp"],
    )
    row = st.container(horizontal=True)
    row.button("Load the names", type="primary", on_click=import_vocabulary, disabled=not chosen)
    row.button("Recognise in all articles", on_click=start_job, args=("entities", {}))
    if listed(Kind.TAGGERS):
        st.subheader("Taggers")
        st.caption(f"They find names that no vocabulary holds: {PROGRAM} entities train CORPUS.")
        versions_panel(Kind.TAGGERS, _taught)
    if may(Right.OPERATE):  # who may read the machine's files
        path, action = words_and_action("bottom")
        path.text_input("Or a file of names on the machine that runs Keyline", key="vocabulary_path")
        action.button("Load", on_click=import_vocabulary_path, key="import_vocabulary_path")


def _taught(version: ModelVersion) -> dict[str, object]:
    trained_on = version.trained_on
    corpora = ", ".join(f"{corpus['file']} ({corpus['documents']:,})" for corpus in trained_on["corpora"])
    return {"types": ", ".join(trained_on["types"]), "corpora (documents)": corpora}
