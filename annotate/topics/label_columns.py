"""The columns of files in which the labels of a topic's kinds stand, and by which other names they are read."""

import re
from collections.abc import Mapping
from itertools import count

from annotate.topics.file import Topic
from annotate.topics.schema import Slot

# The other columns of files of gold, in their order, and what stands in them: no kind's column is called so.
FIXED = {
    "pmid": "Identifier of the article at PubMed",
    "pmcid": "Identifier of the article at PubMed Central",
    "doi": "DOI of the article",
    "title": "Title of the article",
    "section": "Title of the section in which the sentence stands",
    "sentence_index": "Position of the sentence in the article, from 0",
    "paragraph_start": "First character of the sentence in its paragraph, from 0",
    "paragraph_end": "Behind the last character of the sentence in its paragraph",
    "sentence": "The sentence, letter by letter",
    "label": "1 key, 0 not key, unsure, or disputed",
    "origin": "How the sentence came to be judged: proposed, added by a person, or imported",
    "rank": "Its place among the article's proposals when it was judged, from 1; empty where it was none",
    "cosine": "Its cosine to the query when it was judged, from -1 to 1; empty where it was no proposal",
    "ranking": "What ranked it when it was judged",
    "model_version": "The version of the encoder that proposed it",
    "annotators": "Who judged it, separated by semicolons",
    "verdicts": "What each of them said",
    "read_in_full_by": "Who read the whole article, separated by semicolons",
    "time": "When the verdict was given that the label follows (ISO 8601, UTC)",
    "comment": "Remarks on the sentence, each on a line behind the name of who wrote it",
    "decided_by": "The adjudicator whose decision the label is; empty where none decided",
    "role": "The rhetorical role of the sentence, as recognised",
    "function": "The function of the sentence, as recognised",
    "article": "The identifier that every article has",
    "journal": "The journal of the article",
    "year": "The year in which the article was published",
    "licence": "The licence of the article, as its file states it",
    "tags": "What people tagged the article with, separated by semicolons",
    "commented_by": "Who wrote the remarks, in their order, separated by semicolons",
    "article_sentences": "How many sentences the article has",
}
IDENTIFIERS = "_identifiers"
TEXT = "text"  # as folders of datasets call the sentence


def about_column(name: str) -> str:
    """What stands in a column of gold: one of FIXED, or of a kind of the topic; `text` is the sentence, too."""
    if name == TEXT:
        name = "sentence"
    if name.endswith(IDENTIFIERS):
        return f"Confirmed identifiers of the {name.removesuffix(IDENTIFIERS)} names, separated by semicolons"
    return FIXED.get(name) or f"What the sentence names as {name.replace('_', ' ')}, separated by semicolons"


def label_columns(topic: Topic) -> dict[str, str]:
    """By the key of each kind its column: what its names are called, such as `genes`; its key where that is taken."""
    found: dict[str, str] = {}
    taken = {*FIXED, TEXT}
    for kind in topic.file.kinds:
        title = re.sub(r"\W+", "_", kind.title.casefold()).strip("_")
        other = (f"{kind.key}_labels{'_' * more}" for more in count())
        free = (name for names in ((title, kind.key), other) for name in names if name and name not in taken)
        found[kind.key] = next(n for n in free if n not in found.values() and not n.endswith(IDENTIFIERS))
    return found


def identifier_columns(topic: Topic) -> dict[str, str]:
    """By the key of each kind that has a vocabulary, the column of its names' confirmed identifiers."""
    named = (kind.key for kind in topic.file.kinds if kind.vocabularies and not kind.choices)
    return {key: f"{key}{IDENTIFIERS}" for key in named}


def kinds_of_columns(topic: Topic, header: Mapping[str, object]) -> dict[str, str]:
    """The key of a kind by every name that its labels are read by in a table with this header.

    Its column and its key, and the one of earlier releases, which called three columns genes, cells and edit for all
    kinds: that first where all three are there and the topic's own are not.
    """
    columns = label_columns(topic)
    own = {key: key for key in columns} | {column: key for key, column in columns.items()}
    kinds = sorted(topic.file.kinds, key=lambda kind: kind.stands_in is not None)
    old = {str(kind.stood_in): kind.key for kind in kinds if kind.stood_in}
    is_old = header.keys() >= set(Slot) and not header.keys() >= set(columns.values())
    return own | old if is_old else old | own


def labels_by_kind(topic: Topic, given: Mapping[str, str]) -> dict[str, str]:
    """The text given for each kind of the topic, by its key, in the topic's order."""
    found: dict[str, str] = {}
    for column, key in kinds_of_columns(topic, given).items():
        if given.get(column, "").strip() or (column in given and key not in found):
            found[key] = given[column]
    return {key: found[key] for key in topic.keys if key in found}
