"""Works suggested for an article, a text or a BibTeX file, each with its reasons."""

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from sqlalchemy.orm import Session

import db.articles
import db.entities
import db.related
from annotate.articles.citations import identifiers
from annotate.articles.importing.reference_files import Entry
from annotate.embeddings.stored_vectors import embeddings_of
from annotate.finding.encoding import Encoder
from annotate.finding.search_vectors import stored_vectors
from annotate.project.home import read
from annotate.related.library import Library
from annotate.related.maps import map_in_use, mapped
from annotate.related.pool import AGAIN, OPENING, WEIGHTS, Asked, passages, pooled, ranked_again, sentences_by_line
from annotate.screening.abstracts import texts_of

SHOWN = 20
MOST_CHARACTERS = 200_000
SHORT = 30  # characters: below, a sentence is a heading or a remnant, and a pair of such says nothing
NAMED = 3  # names of a reason


@dataclass(frozen=True, slots=True)
class Profile:
    """What related works are looked for. `key` names it in verdicts; `cites`: keys of works of its reference list."""

    key: str
    title: str
    sentences: Sequence[str]
    sentence_vectors: np.ndarray | None = None
    vector: np.ndarray | None = None
    year: int | None = None
    article_id: int | None = None
    cites: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A work, why it is suggested, and the nearest pair of sentences, the question's first."""

    key: str
    title: str
    year: int | None
    article_id: int | None
    importable: str
    score: float
    reasons: Sequence[str]
    pair: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Suggestions:
    """The suggestions. `without`: parts that could not have a say, and why, in words."""

    profile: Profile
    found: Sequence[Suggestion]
    without: Sequence[str] = field(default=())


class NothingAsked(ValueError):
    """A text without words, or an article that is not there."""


def profile_of_article(session: Session, article_id: int, known: Library) -> Profile:
    """The profile of a stored article. Raises NothingAsked where it is not stored."""
    article = db.articles.article(session, article_id)
    if article is None:
        raise NothingAsked(f"there is no article {article_id}")
    encoder = Encoder()
    version, learnt = encoder.version, map_in_use(encoder)
    vectors = dict(zip(*stored_vectors(version), strict=True))
    own = vectors.get(article.key)
    embedding = embeddings_of(session, version.id, [article_id]).get(article_id)
    sentences = [each.text for each in db.articles.sentences(session, [article_id])]
    _, abstract = texts_of(session, {article_id: article.title})[article_id]
    cites = {name for each in db.articles.references(session, article_id) for name in identifiers(each)}
    return Profile(
        article.key,
        f"{article.title}\n{abstract}",
        sentences,
        mapped(embedding, learnt) if embedding is not None and sentences else None,
        mapped(own[None], learnt)[0] if own is not None else None,
        article.year,
        article_id,
        frozenset(known.keys(sorted(cites))),
    )


def profile_of_text(text: str) -> Profile:
    """A text that somebody pasted, read to its end. Raises NothingAsked for one without words or of too many."""
    tidy = text.strip()
    if not any(each.isalpha() for each in tidy):
        raise NothingAsked("the text is empty: paste an abstract or a paragraph")
    if len(tidy) > MOST_CHARACTERS:
        raise NothingAsked(f"the text has more than {MOST_CHARACTERS:,} characters: paste a part of it")
    sentences = sentences_by_line(tidy)
    encoder = Encoder()
    pieces = passages("", sentences)
    vectors = mapped(encoder.texts([*pieces, *sentences]), map_in_use(encoder))
    key = f"text:{hashlib.sha256(tidy.encode()).hexdigest()[:32]}"
    return Profile(key, tidy, sentences, vectors[len(pieces) :], pooled(vectors[: len(pieces)]))


def profile_of_entries(entries: Sequence[Entry], known: Library) -> Profile:
    """The entries of a BibTeX file: the mean of their vectors, and what they are known by as a reference list."""
    identity = "\n".join(sorted(f"{each.title}\0{each.doi}\0{each.pmid}" for each in entries))
    titles = [each.title for each in entries if each.title]
    if not titles:
        raise NothingAsked("no entry has a title")
    texts = [f"{each.title}\n{each.abstract}".strip() for each in entries if each.title]
    encoder = Encoder()
    vectors = mapped(encoder.texts(texts), map_in_use(encoder))
    cites = known.keys([name for each in entries for name in identifiers(each)])
    key = f"bib:{hashlib.sha256(identity.encode()).hexdigest()[:32]}"
    return Profile(key, "\n".join(titles), titles, vectors, pooled(vectors), cites=frozenset(cites))


def suggestions(
    profile: Profile, known: Library, not_related: frozenset[str] = frozenset(), *, limit: int = SHOWN
) -> Suggestions:
    """The first works for a profile, without itself, what it cites and is not stored, and what is not related."""
    shared = _works_shared(profile, known)
    parts = {"references": _reference_scores(profile, known, shared)}
    cited = frozenset(key for key in profile.cites if key not in known.articles or profile.article_id is None)
    but = cited | {known.now(key) for key in not_related} | {profile.key}
    own = known.pool.likeness(profile.cites) if profile.cites else None
    asked = Asked(profile.title, profile.vector, profile.year, but=but, later=True, cited=own)
    lists: Mapping[str, float] = {}
    # What a text would cite is guessed. A list that is known tells more (docs/measurements/related.md).
    if own is None:
        near = known.pool.rank(replace(asked, but=frozenset({profile.key})))
        lists = known.lists.likeness(near, profile.key)
    ranked = known.pool.rank(replace(asked, parts=parts, lists=lists))
    likely = np.count_nonzero(ranked.scores > 0)  # they stand first
    ranked = replace(ranked, places=ranked.places[:likely], scores=ranked.scores[:likely])
    if profile.sentence_vectors is not None:
        openings = _sentence_vectors(known, ranked.places[:AGAIN].tolist(), OPENING)
        ranked = ranked_again(ranked, profile.sentence_vectors, openings, WEIGHTS["sentences"])
    chosen = ranked.places[:limit].tolist()
    pairs = _nearest_pairs(profile, known, chosen)
    names = _names_shared(profile, [known.articles.get(known.pool.works[place].key) for place in chosen])
    found = []
    for place, score in zip(chosen, ranked.scores.tolist(), strict=False):
        work = known.pool.works[place]
        likeness = {name: float(part[place]) for name, part in ranked.parts.items()}
        if work.key not in lists:
            likeness["lists"] = 0.0  # it was guessed
        if profile.vector is not None:
            likeness["meaning"] = float(known.pool.vectors[place] @ profile.vector)
        if own is not None:
            likeness["cited"] = float(own[place])
        article = known.articles.get(work.key)
        reasons = _reasons(profile, known, work.key, len(shared.get(work.key, ())), names.get(article, []), likeness)
        found.append(
            Suggestion(
                work.key,
                work.title,
                work.year,
                article,
                known.importable.get(work.key, ""),
                score,
                reasons,
                pairs.get(place),
            )
        )
    without = [] if profile.vector is not None else ["It has not been compared by meaning yet: propose first."]
    return Suggestions(profile, found, without)


def _works_shared(profile: Profile, known: Library) -> dict[str, set[str]]:
    """By key of a stored article the works that both lists hold."""
    found: dict[str, set[str]] = {}
    for work in profile.cites:
        for article in known.cited_by.get(work, ()):
            if article != profile.article_id:
                found.setdefault(known.keys_of[article], set()).add(work)
    return found


def _rarity(known: Library, work: str) -> float:
    """How much a shared reference tells: the less, the more articles cite it."""
    return 1 / math.log2(2 + len(known.cited_by.get(work, ())))


def _reference_scores(profile: Profile, known: Library, shared: Mapping[str, set[str]]) -> Mapping[str, float]:
    """The scores of stored articles: by the references that both share, and 1 where one cites the other."""
    scores: defaultdict[str, float] = defaultdict(float)
    for key, works in shared.items():
        scores[key] = sum(_rarity(known, work) for work in works)
    for work in profile.cites:
        scores[work] += 1.0
    for work in known.keys([profile.key]):  # what cites it
        for article in known.cited_by.get(work, ()):
            scores[known.keys_of[article]] += 1.0
    return scores


def _names_shared(profile: Profile, articles: Sequence[int | None]) -> dict[int | None, list[str]]:
    """By stored article the names of genes, cells and others that the question has, too, the rarest among them first.

    Names are a reason and no part of the ranking, which they lowered (docs/measurements/related.md).
    """
    if profile.article_id is None:
        return {}
    with read() as session:
        names = db.entities.names(session, {profile.article_id, *(each for each in articles if each is not None)})
    own = names.pop(profile.article_id, set())
    common = Counter(name for found in names.values() for name in found)
    return {article: sorted(found & own, key=lambda name: (common[name], name)) for article, found in names.items()}


def _reasons(
    profile: Profile, known: Library, key: str, shared: int, names: Sequence[str], likeness: Mapping[str, float]
) -> list[str]:
    found = []
    if key in profile.cites:
        found.append("cited by it")
    cites_it = known.cited_by.get(profile.key, frozenset())
    if known.articles.get(key) in cites_it:
        found.append("cites it")
    if shared:
        found.append(f"cites {shared} of the same works" if shared > 1 else "cites one of the same works")
    if key not in known.articles and (number := len(known.cited_by.get(key, ()))):
        found.append(f"cited by {number} articles here" if number > 1 else "cited by one article here")
    if names:
        found.append(f"both name {', '.join(names[:NAMED])}")
    if likeness.get("lists", 0) > 0.5:
        found.append("its references are near to this, too")
    if key not in profile.cites and likeness.get("cited", 0) > 0.8:
        found.append("much like a work that it cites")
    if likeness.get("meaning", 0) > 0.8:
        found.append("says much the same")
    if likeness.get("words", 0) > 0.5:
        found.append("in the same words")
    return found or ["similar in meaning and words"]


def _sentence_vectors(known: Library, places: Sequence[int], most: int | None = None) -> dict[int, np.ndarray]:
    """By place the vectors of a work's first `most` sentences, or of all. A work with only a title has its title's
    vector, once that is known."""
    encoder = Encoder()
    ids = {place: known.articles.get(known.pool.works[place].key) for place in places}
    with read() as session:
        stored = embeddings_of(session, encoder.version.id, [number for number in ids.values() if number is not None])
    learnt, titles = map_in_use(encoder), known.pool.vectors if places else np.empty(0)
    found = {place: mapped(stored[number][:most], learnt) for place, number in ids.items() if number in stored}
    return found | {place: titles[place][None] for place in places if ids[place] is None and titles[place].any()}


def _nearest_pairs(profile: Profile, known: Library, places: Sequence[int]) -> dict[int, tuple[str, str]]:
    """The sentence of the profile and the sentence of each work that are most alike; of a work with only a title, the
    title."""
    if profile.sentence_vectors is None or not len(profile.sentence_vectors):
        return {}
    vectors = _sentence_vectors(known, places)
    ids = {place: known.articles.get(known.pool.works[place].key) for place in places}
    texts: dict[int | None, list[str]] = {}
    with read() as session:
        for sentence in db.articles.sentences(session, [number for number in ids.values() if number is not None]):
            texts.setdefault(sentence.article_id, []).append(sentence.text)
    found: dict[int, tuple[str, str]] = {}
    for place in places:
        sentences = texts.get(ids[place], []) if ids[place] is not None else [known.pool.works[place].title]
        if sentences and place in vectors:
            pair = _nearest(profile.sentences, profile.sentence_vectors, sentences, vectors[place])
            found |= {place: pair} if pair else {}
    return found


def _nearest(
    own: Sequence[str], own_vectors: np.ndarray, other: Sequence[str], other_vectors: np.ndarray
) -> tuple[str, str] | None:
    cosines = own_vectors @ other_vectors.T
    cosines[[len(text) < SHORT for text in own], :] = -1.0
    cosines[:, [len(text) < SHORT for text in other]] = -1.0
    one, two = np.unravel_index(int(cosines.argmax()), cosines.shape)
    return (own[int(one)], other[int(two)]) if cosines[one, two] > 0 else None
