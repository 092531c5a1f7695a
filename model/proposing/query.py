"""The query sentence that every sentence of an article is compared with."""

from collections.abc import Sequence

from model.proposing.terms import DocumentTerms

# A word of its own that no text contains: the reference method's fourth and fifth query, learnt in fine-tuning.
QUERY_TOKEN = "[QUERY]"
# The reference method's first three queries.
GENERIC_QUERIES = {
    "query 1": "knock mutat silence disrupt crispr lack cell gene remove edit",
    "query 2": "Gene knockout from cell",
    "query 3": "Gene knockout from cell using CRISPR",
}
BEST_GENERIC = "query 3"  # not fine-tuned all-MiniLM-L6-v2: ARP by query in docs/ranking.md
EDIT_NOUNS = {"KO": "knockout", "KI": "knockin", "KD": "knockdown"}


def article_query(genes: Sequence[str], cells: Sequence[str], edit: str | None = None) -> str:
    """The reference method's proposal query, "[gene names] knockout from [cell names]", names joined by a comma.

    `edit` KO, KI or KD chooses the noun, None is a knockout; without genes it says "gene", without cells it stops
    before "from". Blank names are left out. Raises ValueError for any other edit.
    """
    if edit is not None and edit not in EDIT_NOUNS:
        raise ValueError(f"edit {edit!r} is none of {', '.join(EDIT_NOUNS)}")
    gene_names = ", ".join(filter(None, (name.strip() for name in genes))) or "Gene"
    cell_names = ", ".join(filter(None, (name.strip() for name in cells)))
    query = f"{gene_names} {EDIT_NOUNS[edit or 'KO']}"
    return f"{query} from {cell_names}" if cell_names else query


def query_for(labels: DocumentTerms | None, own_query: str | None = None) -> str:
    """The query for one article: a fine-tuned model's own (it was trained on no other), else the article's from its
    document labels, else the best generic one. Never empty."""
    if own_query:
        return own_query
    if labels and (labels.genes or labels.cells):
        return article_query(labels.genes, labels.cells, labels.edit)
    return GENERIC_QUERIES[BEST_GENERIC]
