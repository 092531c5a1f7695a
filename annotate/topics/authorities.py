"""Where an identifier is explained: pages of NCBI Gene, Cellosaurus, the Ontology Lookup Service and NCBI Taxonomy."""

import re
from urllib.parse import quote

_PAGES = {
    "gene": (re.compile(r"\d+"), "NCBI Gene", "https://www.ncbi.nlm.nih.gov/gene/{}"),
    "cell_line": (re.compile(r"CVCL_\w+"), "Cellosaurus", "https://www.cellosaurus.org/{}"),
    "cell_type": (
        re.compile(r"CL:\d+"), "Cell Ontology", "https://www.ebi.ac.uk/ols4/ontologies/cl/classes?obo_id={}",
    ),
    "organism": (
        re.compile(r"\d+"), "NCBI Taxonomy", "https://www.ncbi.nlm.nih.gov/Taxonomy/Browser/wwwtax.cgi?id={}",
    ),
}  # fmt: skip


def authority_of(kind: str) -> str:
    """Who gives the identifiers of a type of entity."""
    return _PAGES[kind][1]


def link_of(kind: str, identifier: str) -> str:
    """The address of the page about an identifier; nothing for one that is not written as its authority does."""
    pattern, _, address = _PAGES[kind]
    return address.format(quote(identifier, safe="")) if pattern.fullmatch(identifier) else ""
