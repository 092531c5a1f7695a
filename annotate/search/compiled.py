"""The tree of a search as a query of the index: of articles, or of sentences."""

import re
from collections.abc import Callable, Sequence

from tantivy import FieldType, Occur, Query, Schema

from annotate.articles.document import PARTS
from annotate.search.entries import asked_names
from annotate.search.queries import And, BadQuery, Everything, Field, KindField, Node, Not, Or, Term, Years
from annotate.search.words import begun, holds, stems_placed, stems_within, symbols_in, whole_words

# A word in title or abstract says more of what an article is about than one in its body, which has ten times as many.
LEAD_WEIGHT = 2.0
_HIGHEST_YEAR = 9999
_WORD_FIELDS: dict[Field | KindField, tuple[tuple[str, float], ...]] = {
    Field.TEXT: (("lead", LEAD_WEIGHT), ("body", 1.0)),
    Field.TITLE: (("title", 1.0),),
    Field.ABSTRACT: (("abstract", 1.0),),
    Field.TITLE_ABSTRACT: (("lead", 1.0),),
    Field.MESH: (("mesh", 1.0), ("lead", 1.0)),  # of articles without MeSH terms title and abstract tell
    Field.JOURNAL: (("journal", 0.0),),
}

# The articles that a part of a search holds for, by id.
ArticlesOf = Callable[[Node], Sequence[int]]


def article_query(schema: Schema, node: Node) -> Query:
    """The query for articles. Raises BadQuery for a part that cannot be looked for."""
    return _Compiler(schema, lambda term: _words_of(schema, term, _WORD_FIELDS[term.field])).query(node)


def sentence_query(schema: Schema, node: Node, articles_of: ArticlesOf) -> Query:
    """The query for sentences; for a field that only articles have, all sentences of matching articles."""

    def words(term: Term) -> Query | None:
        if term.field in (Field.TITLE, Field.JOURNAL, Field.MESH):
            return within_articles(schema, articles_of(term))
        found = _words_of(schema, term, (("text", 1.0),))
        if found is None or term.field is Field.TEXT:
            return found
        abstract = Query.term_query(schema, "section", "abstract", "basic")
        return Query.boolean_query([(Occur.Must, found), (Occur.Must, _unweighed(abstract))])

    return _Compiler(schema, words, articles_of).query(node)


def within_articles(schema: Schema, article_ids: Sequence[int]) -> Query:
    """The query for documents of these articles, without weight."""
    return _unweighed(Query.term_set_query(schema, "article", list(article_ids)))


def _unweighed(query: Query) -> Query:
    return Query.const_score_query(query, 0.0)


class _Compiler:
    """Turns a tree into a query; what is too common to be looked for is left out of a longer one."""

    def __init__(
        self, schema: Schema, words: Callable[[Term], Query | None], articles_of: ArticlesOf | None = None
    ) -> None:
        self.schema = schema
        self.words = words
        self.articles_of = articles_of

    def query(self, node: Node) -> Query:
        found = self._part(node)
        if found is not None:
            return found
        if isinstance(node, Term):
            raise BadQuery(f"{node.text!r} is too common to be looked for", node.place)
        raise BadQuery("all of these words are too common to be looked for")

    def _part(self, node: Node) -> Query | None:
        match node:
            case Everything():
                return _unweighed(Query.all_query())
            case Years():
                return self._years(node)
            case And(parts):
                return self._all(parts)
            case Or(parts):
                found = [query for part in parts if (query := self._part(part)) is not None]
                return Query.boolean_query([(Occur.Should, query) for query in found]) if found else None
            case Not():
                return self._all([node])
            case Term():
                return self._term(node)

    def _years(self, years: Years) -> Query:
        first = max(0, years.first or 0)
        last = _HIGHEST_YEAR if years.last is None else min(years.last, _HIGHEST_YEAR)
        if first > last:
            return Query.empty_query()
        return _unweighed(Query.range_query(self.schema, "year", FieldType.Unsigned, first, last))

    def _all(self, parts: Sequence[Node]) -> Query | None:
        found: list[tuple[Occur, Query]] = []
        for part in parts:
            query = self._part(part.part if isinstance(part, Not) else part)
            if query is not None:
                found.append((Occur.MustNot if isinstance(part, Not) else Occur.Must, query))
        if not found:
            return None
        if all(occur == Occur.MustNot for occur, _ in found):
            found.insert(0, (Occur.Must, _unweighed(Query.all_query())))
        return Query.boolean_query(found)

    def _term(self, term: Term) -> Query | None:
        if term.field in _WORD_FIELDS:
            return self.words(term)
        if term.field is Field.KEY and self.articles_of is not None:
            return within_articles(self.schema, self.articles_of(term))
        if term.field is Field.KEY:
            return _unweighed(self._exact("key", [_key(term.text)], prefix=term.prefix))
        if term.field is Field.SECTION:
            asked = term.text.casefold().rstrip("s")
            part = next((part for part in PARTS if asked and part.startswith(asked)), None)
            if part is None:
                raise BadQuery(f"there is no section {term.text!r}, only {', '.join(PARTS)}", term.place)
            return _unweighed(self._exact("section", [part], prefix=False))
        if not whole_words(term.text):
            raise BadQuery(f"{term.text!r} holds no name", term.place)
        return _unweighed(self._exact("name", asked_names(term.field, term.text), prefix=term.prefix))

    def _exact(self, field: str, values: Sequence[str], *, prefix: bool) -> Query:
        if not prefix:
            return Query.term_set_query(self.schema, field, list(values))
        prefixes = [Query.regex_query(self.schema, field, re.escape(value) + ".*") for value in values]
        return Query.boolean_query([(Occur.Should, query) for query in prefixes])


def _words_of(schema: Schema, term: Term, fields: Sequence[tuple[str, float]]) -> Query | None:
    """A word or a phrase in any of some fields by their weights; None where it holds nothing but stop words."""
    found = []
    for field, weight in fields:
        query = _words_in(schema, term, field)
        if query is not None:
            found.append((Occur.Should, Query.boost_query(query, weight) if weight else _unweighed(query)))
    return Query.boolean_query(found) if found else None


def _words_in(schema: Schema, term: Term, field: str) -> Query | None:
    placed, options = stems_placed(term.text), []
    before, last = begun(term.text) if term.prefix else ([], None)
    if last and placed and placed[-1][0] < last[0]:
        placed = []  # the last word is a stop word: only longer words that begin so are looked for
    if len(placed) == 1:
        options.append(holds(schema, field, placed[0][1], symbols_in(term.text), "position"))
    elif placed:
        options.append(Query.phrase_query(schema, field, _from_first(placed)))
    if last:
        # Stems are looked for: the last word by its typed beginning, the ones before it whole.
        place, word = last
        shorter = stems_within(word)
        if before:
            # A query of its own for a begun phrase takes 50 words that begin so, and leaves the others out.
            patterns = [(at, re.escape(stem)) for at, stem in before] + [(place, re.escape(word) + ".*")]
            options.append(Query.regex_phrase_query(schema, field, _from_first(patterns)))
            options += [Query.phrase_query(schema, field, _from_first([*before, (place, stem)])) for stem in shorter]
        else:
            options.append(Query.regex_query(schema, field, re.escape(word) + ".*"))
            options += [Query.term_query(schema, field, stem) for stem in shorter]
    if not options:
        return None
    return options[0] if len(options) == 1 else Query.disjunction_max_query(options)


def _from_first(placed: Sequence[tuple[int, str]]) -> list[str | tuple[int, str]]:
    return [(place - placed[0][0], word) for place, word in placed]


_DOI_ADDRESS = re.compile(r"^(?:doi:\s*)?https?://(?:dx\.)?doi\.org/")


def _key(text: str) -> str:
    """A key as it is stored: "pmcid:PMC1", "pmc1", "123" and the address of a DOI are tried as what they look like."""
    key = _DOI_ADDRESS.sub("doi:", text.strip().casefold())
    if ":" in key:
        return key
    if key.startswith("pmc"):
        return f"pmcid:{key}"
    return f"pmid:{key}" if key.isdecimal() else f"doi:{key}"
