"""What an article cites, what cites it, and what shares references with it: at once, without a model."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy.orm import Session

import db.articles
import db.related
from annotate.articles.citations import identifiers
from annotate.search.search import ShownSentence

SHARED_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Cited:
    """An entry of a reference list: the stored article that it is, if any, and where the text cites it."""

    position: int
    title: str
    identifiers: Sequence[str]
    article_id: int | None
    sentences: Sequence[ShownSentence] = ()

    @property
    def importable(self) -> str:
        """The PMID or PMCID by which it can be imported; "" where it is stored or has neither."""
        known = (name.partition(":") for name in self.identifiers)
        found = [value for kind, _, value in known if kind in ("pmid", "pmcid")]
        return found[0] if found and self.article_id is None else ""


@dataclass(frozen=True, slots=True)
class Linked:
    """A stored article that a link leads to; `shared` counts references that both lists hold."""

    article_id: int
    title: str
    year: int | None
    shared: int = 0


@dataclass(frozen=True, slots=True)
class Links:
    """All links of an article."""

    cites: Sequence[Cited] = ()
    cited_by: Sequence[Linked] = ()
    sharing: Sequence[Linked] = field(default=())

    @property
    def missing(self) -> list[str]:
        """What the article cites and is not stored, by PMID or PMCID."""
        return list(dict.fromkeys(each.importable for each in self.cites if each.importable))


def links_of(session: Session, article_id: int) -> Links:
    """The links of a stored article: cited, citing and sharing works; empty where it is not stored."""
    article = db.articles.article(session, article_id)
    if article is None:
        return Links()
    cites = cited_works(session, article_id)
    citing = {each for _, each in db.related.citing_pairs(session, [article])}
    own = {name: each.position for each in cites for name in each.identifiers}
    pairs = {(number, own[name]) for number, _, name in db.related.citing(session, own) if number != article_id}
    shared = Counter(number for number, _ in pairs)  # how many works of this list each other article cites, too
    first = [number for number, _ in shared.most_common(SHARED_SHOWN)]
    rows = db.articles.articles(session, citing | {*first})
    return Links(
        cites,
        [Linked(number, rows[number].title, rows[number].year) for number in sorted(citing)],
        [Linked(number, rows[number].title, rows[number].year, shared[number]) for number in first],
    )


def cited_works(session: Session, article_id: int) -> list[Cited]:
    """The reference list of an article in its order."""
    references = db.articles.references(session, article_id)
    stored = db.related.stored_articles(session, {name for each in references for name in identifiers(each)})
    sentences: dict[int, list[ShownSentence]] = {}
    for reference, position, text, section in db.related.citing_sentences(session, article_id):
        sentences.setdefault(reference, []).append(ShownSentence(position, text, section))
    return [
        Cited(
            each.position,
            each.title,
            names := identifiers(each),
            next((stored[name] for name in names if stored.get(name, article_id) != article_id), None),
            sentences.get(each.position, ()),
        )
        for each in references
    ]
