"""Uploads of kinds that hold no text in order: each refused by its name with the reason, before anything is sent on."""

from collections.abc import Sequence
from pathlib import PurePath

import streamlit as st

from annotate.articles.parsing.entry import show_name
from pages.parts.frame.streamlit_internals import UploadedFile
from pages.parts.frame.text import shown

WORD = "is a document of a word processor in a form that is not read"
REFUSED = {".doc": WORD, ".odt": WORD, ".rtf": WORD}
INSTEAD = "Save it as .docx or .pdf, or fetch the article by its PMID, PMCID or DOI under Europe PMC."


def reason_of(name: str) -> str | None:
    """Why a file of this name is refused; None where it is accepted."""
    return REFUSED.get(PurePath(name).suffix.lower())


def readable(files: Sequence[UploadedFile]) -> list[UploadedFile]:
    """The uploads that can be tried."""
    return [file for file in files if reason_of(file.name) is None]


def say_what_is_refused(files: Sequence[UploadedFile]) -> None:
    """Names each refused upload with its reason, and what to do instead."""
    found = [f"{show_name(file.name)} {reason}" for file in files if (reason := reason_of(file.name))]
    if found:
        st.error(shown(f"{'; '.join(found)}. {INSTEAD}"), icon=":material/block:")
