"""Which gene a name means: by the name itself, by the organisms of the text, by the other names of the text.

One name is decided once a text for each organism in question, as authors use it in one meaning (Gale 1992).
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import log1p

from model.entities.lexicon import Lexicon
from model.entities.memory import Memory
from model.entities.texts.spelling import Agreement, agreement
from model.entity_types import EntityType
from model.names import BREAK, fold_name

HUMAN, MOUSE = "9606", "10090"
# Their genes are named as the human ones, so that a text about them alone must not be given human identifiers: rat,
# cow, pig, sheep, dog, chicken, rabbit, monkeys, hamsters, guinea pig, frogs, horse, cat, goat, zebrafish, medaka, C.
# elegans. Not yeast: two-hybrid screens name it in texts about genes of others.
NAMED_ALIKE = frozenset(
    "10116 9913 9823 9940 9615 9031 9986 9544 9541 10029 10036 10141 8355 8364 9796 9685 9925 7955 8090 6239".split()
)
_SENTENCE = re.compile(r"[.?!]\s")
# A letter glued to a gene's name: hTERT, mPer2, rGH.
PREFIXES = {"h": HUMAN, "m": MOUSE, "r": "10116", "z": "7955", "d": "7227", "b": "9913"}
TITLE_WEIGHT = 2.0


class Organisms:
    """The organisms of one text, by their mentions; cell lines may add theirs at a lower weight."""

    def __init__(self, text: str, mentions: Sequence[tuple[int, str]], title_end: int = 0) -> None:
        """`mentions` are (start, taxon)."""
        self._starts = [0, *(match.end() for match in _SENTENCE.finditer(text))]
        self._by_sentence: dict[int, list[tuple[int, str]]] = {}
        self.weights: defaultdict[str, float] = defaultdict(float)
        for start, taxon in sorted(mentions):
            self._by_sentence.setdefault(self._sentence(start), []).append((start, taxon))
            self.weights[taxon] += TITLE_WEIGHT if start < title_end else 1.0

    def _sentence(self, start: int) -> int:
        return bisect_right(self._starts, start)

    def shares(self, known: Collection[str], written: Mapping[str, float]) -> Mapping[str, float]:
        """How much of the text each organism has, from 0 to 1, of those with genes that are `known` or named alike.

        Where none of them is named, `written` tells: how many gene names are spelled as no other organism spells them.
        Human where nothing does.
        """
        deciding = {taxon: weight for taxon, weight in self.weights.items() if taxon in known or taxon in NAMED_ALIKE}
        weights = deciding or dict(written) or {HUMAN: 1.0}
        total = sum(weights.values())
        return {taxon: weight / total for taxon, weight in weights.items()}

    def near(self, start: int) -> str | None:
        """The organism named last before a place in its sentence, else the first after it there."""
        named = self._by_sentence.get(self._sentence(start), [])
        before = [taxon for place, taxon in named if place <= start]
        return before[-1] if before else named[0][1] if named else None


_RANKS = (3.0, 1.5, 2.5)  # symbol, synonym, description
_TAIL = re.compile(
    r"[\s-]+(?:proteins?|genes?|m?RNAs?|locus|loci|alleles?|isoforms?|polypeptides?|molecules?|enzymes?|antigens?"
    r"|cDNA|transcripts?|promoters?|subunits?|polymorphisms?|hormone|null|KO)$",
    re.IGNORECASE,
)
_HEAD = re.compile(
    r"^(?:human|mouse|murine|rat|zebrafish|drosophila|recombinant|anti|phospho|soluble|wild[- ]type|mutant|mature"
    r"|endogenous|the|full[- ]length|constitutive|pro|p)[\s-]+",
    re.IGNORECASE,
)
_GLUED = re.compile(r"^(?:([hmrzdb])(?=[A-Z])|(?:si|sh|sg|c|pro|Δ)(?=[A-Z]))")
_INSIDE_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*")
_PARTS = re.compile(r"\s*(?:/|\band\b|,|\bor\b)\s*")
_SHARED_STEM = re.compile(r"(.*?[A-Za-zα-ω][\s-]?)(\d+|[A-Z])$")
_NUMBER = re.compile(r"\d+[A-Za-z]?|[A-Z]|[α-ω]")
THRESHOLD = 4.0
ELSEWHERE = 8.0  # against genes of an organism that the text does not speak of
SPELLING_WEIGHT = 0.5  # of a name spelled as one organism alone spells it, against an organism named once


@dataclass(frozen=True, slots=True)
class Candidate:
    """A gene that a name may mean: its identifier, its organism, and how well the name fits it."""

    identifier: str
    organism: str
    fit: float
    own_spelling: bool = False


class GeneNames:
    """Looks up what a written name may mean."""

    def __init__(self, lexicon: Lexicon, memory: Memory) -> None:
        self._lexicon = lexicon
        self._memory = memory

    def candidates(self, written: str) -> list[Candidate]:
        """The genes that a name may mean, each with its best fit."""
        best: dict[str, Candidate] = {}
        for variant, penalty, organism in variants(written):
            folded = fold_name(variant)
            learned = self._memory.of_name(EntityType.GENE, folded)
            total = sum(learned.values())
            key = self._lexicon.key_of(folded)
            for name in self._lexicon.names(key) if key is not None else ():
                entry = self._lexicon.entry(name.row)
                agrees = agreement(variant, name.spelling)
                fit = _RANKS[name.rank] + 0.5 * agrees - penalty
                fit += 3 * learned[entry.identifier] / total if total else 0
                fit += 0.3 * log1p(self._memory.count(EntityType.GENE, entry.identifier))
                fit += 1 if organism == entry.organism else 0
                own = name.rank == 0 and agrees is Agreement.SAME and not penalty
                _keep(best, Candidate(entry.identifier, entry.organism, fit, own))
            for identifier, count in learned.items():
                if identifier not in best:
                    entry_or_none = self._lexicon.by_identifier(identifier)
                    taxon = entry_or_none.organism if entry_or_none else self._memory.home_of(identifier)
                    _keep(best, Candidate(identifier, taxon, 2.0 + 2 * count / total - penalty))
            if best and penalty < 1:
                break
        return list(best.values())


def _keep(best: dict[str, Candidate], candidate: Candidate) -> None:
    known = best.get(candidate.identifier)
    if known is None or candidate.fit > known.fit:
        best[candidate.identifier] = candidate


def variants(written: str) -> Iterator[tuple[str, float, str]]:
    """(how else a name may be looked up, what that costs, the organism that it tells or nothing), the best first."""
    yield written, 0.0, ""
    for bare in (_INSIDE_BRACKETS.sub(" ", written).strip(), _TAIL.sub("", written), _HEAD.sub("", written)):
        if bare and bare != written:
            yield bare, 0.3, ""
    if glued := _GLUED.match(written):
        yield written[glued.end() :], 0.3, PREFIXES.get(glued[1] or "", "")
    both = _HEAD.sub("", _TAIL.sub("", _INSIDE_BRACKETS.sub(" ", written))).strip()
    if both != written:
        yield both, 0.5, ""
    if both.endswith("s") and len(both) > 3:
        yield both[:-1], 0.4, ""
    yield both.replace(",", " ").replace("/", " "), 0.6, ""
    for ending in ("1", "a", " receptor", " protein", " 1 receptor"):
        yield f"{both}{ending}", 1.2, ""
    words = both.split()
    if len(words) > 2:
        yield " ".join(words[1:]), 1.5, ""
        yield " ".join(words[:-1]), 1.5, ""


def parts_of(written: str) -> list[str]:
    """The names that a list with a shared stem stands for: Smad2/3 is Smad2 and Smad3; else the name itself."""
    parts = [part for part in _PARTS.split(written) if part]
    stem = _SHARED_STEM.fullmatch(parts[0]) if len(parts) > 1 else None
    if stem and all(_NUMBER.fullmatch(part) for part in parts[1:]):
        return [parts[0], *(f"{stem[1]}{part}" for part in parts[1:])]
    return parts if len(parts) > 1 and all(len(part) > 2 for part in parts) else [written]


class GeneNormaliser:
    """Gives the gene mentions of a text their identifiers."""

    def __init__(self, lexicon: Lexicon, memory: Memory) -> None:
        self._names = GeneNames(lexicon, memory)
        self._known = lexicon.organisms()

    def identify(self, text: str, spans: Sequence[tuple[int, int]], organisms: Organisms) -> list[tuple[str, ...]]:
        """The identifiers of each span, none where no gene fits well enough."""
        candidates: dict[str, list[Candidate]] = {}
        wholes: dict[str, list[str]] = {}
        for start, end in spans:
            written = text[start:end]
            if written not in wholes:
                whole = self._of(written, candidates)
                wholes[written] = [written] if whole else parts_of(written)
                for part in wholes[written]:
                    self._of(part, candidates)
        _share(text, spans, candidates)
        support = _support(candidates)
        shares = organisms.shares(self._known, _written_as(candidates))
        decided: dict[tuple[str, str | None], str | None] = {}
        found = []
        for start, end in spans:
            near = organisms.near(start)
            its = []
            for part in wholes[text[start:end]]:
                if (part, near) not in decided:
                    decided[part, near] = _choose(candidates[part], shares, near, support)
                if identifier := decided[part, near]:
                    its.append(identifier)
            found.append(tuple(dict.fromkeys(its)))
        return found

    def _of(self, written: str, candidates: dict[str, list[Candidate]]) -> list[Candidate]:
        if written not in candidates:
            candidates[written] = self._names.candidates(written)
        return candidates[written]


def _share(text: str, spans: Sequence[tuple[int, int]], candidates: dict[str, list[Candidate]]) -> None:
    """A name and the abbreviation in brackets behind it mean the same: what both may mean counts more, and one that
    is unknown takes the other's."""
    for (start, end), (next_start, next_end) in pairwise(spans):
        gap = text[end:next_start]
        if gap.strip() not in ("(", "[") or next_end >= len(text) or text[next_end] not in ")];,":
            continue
        one, other = text[start:end], text[next_start:next_end]
        mine, its = candidates.get(one, []), candidates.get(other, [])
        common = {c.identifier for c in mine} & {c.identifier for c in its}
        if common:
            for name in (one, other):
                candidates[name] = [
                    replace(c, fit=c.fit + (2.5 if c.identifier in common else 0)) for c in candidates[name]
                ]
        elif mine and (not its or len(other) <= 3):
            candidates[other] = mine
        elif its and not mine:
            candidates[one] = its


def _written_as(candidates: Mapping[str, list[Candidate]]) -> dict[str, float]:
    """By organism other than human, how many names are symbols of this organism only: Nanog, Sox2 (not NANOG)."""
    counts: dict[str, float] = {}
    for found in candidates.values():
        owners = {candidate.organism for candidate in found if candidate.own_spelling}
        if len(owners) == 1 and HUMAN not in owners:
            (owner,) = owners
            counts[owner] = counts.get(owner, 0) + SPELLING_WEIGHT
    return {taxon: count for taxon, count in counts.items() if count >= 2 * SPELLING_WEIGHT}


def _support(candidates: Mapping[str, list[Candidate]]) -> Counter[str]:
    """How many different names of the text may mean each gene."""
    seen: dict[str, set[str]] = defaultdict(set)
    for written, found in candidates.items():
        for candidate in found:
            seen[candidate.identifier].add(fold_name(written).replace(BREAK, ""))
    return Counter({identifier: len(names) for identifier, names in seen.items()})


def _choose(
    candidates: Sequence[Candidate], shares: Mapping[str, float], near: str | None, support: Mapping[str, int]
) -> str | None:
    best: tuple[float, int, str] | None = None
    for candidate in candidates:
        score = candidate.fit + min(support[candidate.identifier] - 1, 2)
        if candidate.organism in shares:
            score += 3 * shares[candidate.organism] + (1.5 if candidate.organism == near else 0)
        elif candidate.organism:
            score -= ELSEWHERE
        # Of equals the gene that was numbered first: it has been studied longest.
        number = int(candidate.identifier) if candidate.identifier.isdecimal() else 10**9
        if best is None or (score, -number) > best[:2]:
            best = score, -number, candidate.identifier
    return best[2] if best is not None and best[0] >= THRESHOLD else None
