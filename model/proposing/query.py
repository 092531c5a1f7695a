"""The queries that every sentence of an article is compared with, by the rules of a topic."""

import re

import numpy as np

from model.proposing.rules import Kind, Rules
from model.proposing.terms import DocumentTerms, has_names

# A word of its own that no text contains: the reference method's fourth and fifth query, learnt in fine-tuning.
QUERY_TOKEN = "[QUERY]"
FIRST_QUERY = "query 1"  # the first of a topic's queries, under any name there
PLACE = re.compile(r"\{(?P<kind>[a-z_]+)(?:\|(?P<otherwise>[^{}|\[\]]*))?\}")
# Of an article's names, in the order of its labels: bounds what is embedded, stored and asked for at once.
MOST_QUERIES = 50
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")


def article_query(rules: Rules, terms: DocumentTerms) -> str:
    """The topic's template with an article's names in its places, names joined by a comma; "" for an empty template.

    `{kind}` is replaced by the names of a kind, or by the word of its choice. `{kind|otherwise}` is replaced by the
    text behind the bar where there are none; `[...]` is left out where a place in it without such a text is empty.
    Blank names are left out. A choice that the topic does not know counts as its first one, as does none.
    """

    def filled(template: str) -> str:
        return PLACE.sub(lambda match: _words(rules, terms, match), template)

    def optional(match: re.Match[str]) -> str:
        return filled(match[1]) if all(_words(rules, terms, place) for place in PLACE.finditer(match[1])) else ""

    # Names may hold brackets themselves: optional parts are settled before any is put in.
    pieces = _OPTIONAL.split(rules.article_query)
    done = [optional(m) if (m := _OPTIONAL.fullmatch(f"[{piece}]")) and number % 2 else filled(piece)
            for number, piece in enumerate(pieces)]  # fmt: skip
    return " ".join("".join(done).split())


def _words(rules: Rules, terms: DocumentTerms, place: re.Match[str]) -> str:
    kind = rules.kind(place["kind"])
    given = _joined(kind, terms) if kind else ""
    return given or place["otherwise"] or ""


def _joined(kind: Kind, terms: DocumentTerms) -> str:
    if kind.choices:
        given = terms.names(kind.key)
        return next((choice for choice in kind.choices if choice.key in given[:1]), kind.choices[0]).word
    names = dict.fromkeys(filter(None, (" ".join(name.split()) for name in terms.names(kind.key))))
    return cut(", ".join(names), kind.query_characters)


def cut(text: str, most: int | None) -> str:
    """A text of at most `most` characters, cut at a blank where there is one."""
    return text if most is None or len(text) <= most else text[: most + 1].rsplit(" ", 1)[0][:most]


def generic_query(rules: Rules) -> str:
    """The query of an article for which no names are given."""
    return rules.queries[rules.best_query]


def named_query(rules: Rules, query: str | None) -> str | None:
    """The text of a query that may be given by its name in the topic; any other text, and None, as they are."""
    if query == FIRST_QUERY:
        return rules.queries.get(query) or next(iter(rules.queries.values()))
    return rules.queries.get(query, query) if query is not None else None


def labelled_query(rules: Rules, labels: DocumentTerms) -> str:
    """The query that an article has from its document labels, with all names in it; "" where they make none."""
    return article_query(rules, labels) if has_names(rules, labels) else ""


def query_for(rules: Rules, labels: DocumentTerms | None = None, own_query: str | None = None) -> str:
    """The query for one article, with all names in it: a fine-tuned model's own (it was trained on no other), else the
    article's, else the topic's for articles of which nothing is named. Never empty."""
    return own_query or (labels and labelled_query(rules, labels)) or generic_query(rules)


def queries_for(rules: Rules, labels: DocumentTerms | None = None, own_query: str | None = None) -> tuple[str, ...]:
    """The queries for one article: one for each of its names of the kind for which the topic wants that, each as
    `query_for` gives it; for other topics and articles a single one."""
    names = [name for name in labels.names(rules.query_each) if name.strip()] if labels else []
    apart = [labels.only(rules.query_each, name) for name in names] if labels and names else [labels]
    return tuple(dict.fromkeys(query_for(rules, one, own_query) for one in apart[:MOST_QUERIES]))


def queries_by_name(rules: Rules, labels: DocumentTerms) -> tuple[str, ...]:
    """The queries that an article's names make; none where nothing is named."""
    return queries_for(rules, labels) if labelled_query(rules, labels) else ()


def nearest_query(sentences: np.ndarray, queries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(the place of the query that is nearest to each sentence, the cosine to it), both of shape (n,).

    Sentences have the shape (n, dimension) and queries (queries, dimension), each row of length 1.
    """
    cosines = sentences @ queries.T
    return cosines.argmax(axis=1), cosines.max(axis=1)
