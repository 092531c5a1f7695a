"""Names and cue words in text, by the rules of a topic: for colouring the reader and for ranking."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from model.names import composed
from model.proposing.bounded import Wording
from model.proposing.names import names_pattern
from model.proposing.rules import NEAR, Kind, Rules


@dataclass(frozen=True, slots=True)
class DocumentTerms:
    """Document labels of one article: (key of a kind, names with synonyms, or choices) of each kind that has any.

    Tuples, so that it can be a cache's key; a name of a single letter or digit is never looked for.
    """

    by_kind: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @classmethod
    def of(cls, names: Mapping[str, Sequence[str]]) -> "DocumentTerms":
        """The terms of these names, by the key of their kind."""
        return cls(tuple((key, tuple(given)) for key, given in sorted(names.items()) if given))

    def names(self, key: str) -> tuple[str, ...]:
        """The document's terms of a kind: its names, or its choice."""
        return dict(self.by_kind).get(key, ())

    def only(self, key: str, name: str) -> "DocumentTerms":
        """The terms with this one of the names of a kind, all other kinds as they are."""
        return DocumentTerms.of(dict(self.by_kind) | {key: (name,)})


@dataclass(frozen=True, slots=True)
class TermSpan:
    """One mention: half-open character offsets and the key of the kind that it names."""

    start: int
    end: int
    kind: str


def has_names(rules: Rules, terms: DocumentTerms) -> bool:
    """Whether anybody gave a name of any kind; a choice tells no sentence from another."""
    return any(kind.naming and terms.names(kind.key) for kind in rules.kinds)


def find_terms(text: str, terms: DocumentTerms, rules: Rules) -> list[TermSpan]:
    """Mentions of the document's names and what the topic's kinds always mention, in order, not overlapping.

    Where two overlap the kind that the topic names first wins, then the longer. A suffix of a name is a
    mention of the kind that the naming says. The blank rules find nothing.
    """
    text, origin = composed(text)
    found = []
    for rank, (kind, names) in enumerate(zip(rules.kinds, _compiled(terms, rules), strict=True)):
        for match in names.finditer(text) if names else ():
            found.append((rank, match.start("name"), match.end("name"), kind.key))
            if match["behind"] and kind.naming:
                start = match.end("behind") - len(match["behind"].lstrip())
                found.append((rank, start, match.end("behind"), kind.naming.behind_is))
        found += [(rank, *match.span(), kind.key) for match in (kind.mentions.finditer(text) if kind.mentions else ())]
    taken: list[TermSpan] = []
    for _, start, end, key in sorted(found, key=lambda f: (f[0], f[1] - f[2], f[1])):
        span = TermSpan(origin[start], origin[end], key)
        if start < end and all(span.end <= other.start or other.end <= span.start for other in taken):
            taken.append(span)
    return sorted(taken, key=lambda span: span.start)


def find_likely(text: str, kind: Kind) -> list[TermSpan]:
    """What may be a name of this kind, without labels."""
    if kind.likely is None:
        return []
    return [TermSpan(*m.span(), kind.key) for m in kind.likely.finditer(text) if not _is_common(m[0], kind)]


def guess_terms(sentences: Sequence[str], rules: Rules) -> DocumentTerms:
    """Likely names of an article without labels, of the kinds that the topic has guessed, best first.

    A likely name earns 1 for each sentence where it stands within NEAR characters of a mention of the kind that guesses
    it. Mentions of a part of that kind do not count. The name earns 1/4 for each other sentence up to four; those
    with at least half of the best score are kept. Nothing near such a mention: empty.
    """
    return DocumentTerms.of({kind.key: _guessed(sentences, kind, rules) for kind in rules.kinds if kind.guess_near})


def _guessed(sentences: Sequence[str], kind: Kind, rules: Rules) -> tuple[str, ...]:
    near_kind = rules.kind(kind.guess_near)
    near: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    names: dict[str, str] = {}
    for text in sentences:
        likely = find_likely(text, kind)
        if not likely or near_kind is None:
            continue
        mentions = [s for s in find_terms(text, DocumentTerms(), rules) if s.kind == near_kind.key]
        acts = [s for s in mentions if not near_kind.part_of(text[s.start : s.end])]
        keys = {(text[s.start : s.end].lower(), any(gap(s, act) <= NEAR for act in acts)) for s in likely}
        names.update({text[s.start : s.end].lower(): text[s.start : s.end] for s in likely})
        near.update({key for key, is_near in keys if is_near})
        seen.update({key for key, _ in keys})
    score = {key: count + min(seen[key] - count, 4) / 4 for key, count in near.items()}
    best = sorted(score, key=lambda key: (-score[key], key))[: kind.guess_most]
    return tuple(names[key] for key in best if score[key] >= score[best[0]] / 2)


def gap(one: TermSpan, other: TermSpan) -> int:
    """Characters between two spans, 0 when they touch or overlap."""
    return max(one.start - other.end, other.start - one.end, 0)


def _is_common(name: str, kind: Kind) -> bool:
    return name.upper() in kind.never or any(pattern.match(name) for pattern in kind.never_like)


@lru_cache(maxsize=256)
def _compiled(terms: DocumentTerms, rules: Rules) -> tuple[Wording | None, ...]:
    return tuple(names_pattern(terms.names(kind.key), kind.naming) if kind.naming else None for kind in rules.kinds)
