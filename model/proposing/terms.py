"""Genes, cells and edit words in text: for colouring the reader and for ranking; with and without labels."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache


class TermKind(StrEnum):
    """What a marked term names."""

    GENE = "gene"
    CELL = "cell"
    EDIT = "edit"


@dataclass(frozen=True, slots=True)
class DocumentTerms:
    """Document labels of one article: gene names with synonyms, cell names, the edit (KO, KI, KD).

    Tuples, so that it can be a cache's key; a name of a single letter or digit is never looked for.
    """

    genes: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    edit: str | None = None


@dataclass(frozen=True, slots=True)
class TermSpan:
    """One mention: half-open character offsets and what it names."""

    start: int
    end: int
    kind: TermKind


NEAR = 30  # characters between a gene and its edit word; 15 to 80 rank alike (docs/ranking.md)
# A hyphen and its look-alikes, to stand inside [].
DASH = "\\-\u2010\u2011\u2012\u2013\u2014\u2212"
_GAP = rf"[\s{DASH}_./,+']"
_LEFT, _RIGHT = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])"
_GENOTYPE = rf"\s?[\[(]?(?:[{DASH}]\s?/\s?[{DASH}+]|\+\s?/\s?[{DASH}])[\])]?"
# What is glued to a gene once superscripts are flattened: Foxq1-/-, nos2bsou2/sou2, Glb1G455R, Tsc1fl/fl.
_ALLELE = (
    rf"{_GENOTYPE}|[a-zA-Z]{{1,6}}\d{{0,4}}/(?:[a-zA-Z]{{1,6}}\d{{0,4}}|[{DASH}+])|[{DASH}+]/[a-z]{{1,6}}\d{{0,4}}"
    rf"|[{DASH}]?[A-Z]\d{{1,4}}[A-Z*]|[{DASH}]?(?:c?KO|KI|KD|null|tm\d\w*|del\w{{0,4}}|flox|lacZ|Δ\w{{0,4}}|Δ)"
)
# The annotators' key terms (reference method) and the other usual words for an edit; tools apart from acts.
_TOOLS = (
    r"CRISPR(?:[ia]\b|[/-]?d?Cas\w*)?|[ds]?Cas(?:9|12|13)\w*|TALENs?|zinc[- ]finger nucleases?|[sp]?gRNAs?|guide RNAs?"
    r"|(?:sh|si)RNAs?|RNAi|RNA interference|morpholinos?|homologous recombination|gene[- ]targeting"
)
_ACTS = (
    rf"knock(?:ed|ing|s)?[\s{DASH}]?(?:outs?|ins?|downs?)\b|mutat\w+|mutants?|mutagen\w+|(?:un)?edit(?:s|ed|ing)?\b"
    r"|delet(?:e[ds]?|ing|ions?)\b|disrupt(?:s|ed|ing|ions?)?\b|ablat\w+|inactivat\w+|silenc\w+|remov(?:e[ds]?|ing|al)\b"
    r"|deficien(?:t|cy|cies)|null\b|deplet\w+|lack(?:s|ed|ing)\b|loss[- ]of[- ]function|excis\w+|haploinsufficien\w+"
    r"|(?:gene|exon|allele) replacement|targeted (?:allele|locus|disruption|insertion)|gene[- ]targeted|floxed"
)
# si-SNHG4, shSOX2: what is glued to the gene; not the control that is named alike.
_AGAINST = (
    rf"s[ih][{DASH}]?(?=[A-Z][A-Za-z]*\d|[A-Z]{{3}})(?!(?:NC|NT|NTC|CON|CTRL?|CTL|SCR|GFP|LUC)(?![A-Za-z0-9]))(?!RNA)"
)
_SHORT = rf"(?:[A-Za-z]{{0,2}}KO|[cdDT]?K[ID])s?{_RIGHT}"  # cKO, MKO, but neither CKD nor PKD
_EDIT = rf"{_LEFT}(?:(?i:{_TOOLS}|{_ACTS})|{_SHORT}|{_AGAINST}|Δ(?=[A-Za-z]))|(?<=\w){_GENOTYPE}"
_EDIT_PATTERN, _TOOL_PATTERN = re.compile(_EDIT), re.compile(rf"(?i:{_TOOLS})")

_GREEK = dict(zip("αβγδεκ", ("alpha", "beta", "gamma", "delta", "epsilon", "kappa"), strict=True))
_ORGANISMS = {
    "mouse": "mouse|mice|murine", "rat": "rats?", "pig": "pigs?|porcine|swine", "zebrafish": "zebrafish|danio rerio",
    "human": "humans?", "cow": "cows?|cattle|bovine", "monkey": "monkeys?|macaques?", "rabbit": "rabbits?",
    "drosophila": "drosophila|fly|flies", "c. elegans": r"c\. elegans|worms?|nematodes?", "rice": "rice",
    "yeast": "yeasts?", "chicken": "chickens?", "arabidopsis": "arabidopsis", "dog": "dogs?|canine",
}  # fmt: skip
_HEAD = re.compile(r"\s+(?:(?:cancer |tumou?r )?cells?(?: lines?)?|lines?|strains?|models?)$", re.I)
_SOURCE = re.compile(r"^(?:humans?|mouse|murine|rats?|porcine|pig|bovine)\s+(?=\S)", re.I)
_LINES = (
    r"(?:HEK[- ]?)?293(?:T|FT)?|HeLa|A549|HCT[- ]?116|U-?2[- ]?OS|K-?562|Jurkat|MCF-?(?:7|10A)|Hep-?G2|RPE-?1"
    r"|HAP-?1|(?:NIH[- ]?)?3T3|MEFs?|[hm]?i?PSCs?|[hm]?ESCs?|CHO|Vero|THP-?1|SH-SY5Y|RAW ?264\.7|Calu-3|LNCaP"
    r"|C57BL(?:/6\w*)?"
)
_CELLISH = (
    rf"{_LEFT}(?:(?:{_LINES})(?: cell lines?| cells?)?{_RIGHT}"
    r"|(?i:(?:(?!the |these |all |in |of |and |into )[\w+.-]{1,20}[- ])?cells?(?: lines?)?"
    r"|mice|mouse|murine|rats?|zebrafish|drosophila|arabidopsis|xenopus|c\. elegans|rabbits?|pigs?|porcine|chickens?"
    r"|rice|wheat|maize|tomato|soybeans?|yeasts?|embryos?|oocytes?|zygotes?|larvae|eggs|organoids?|xenografts?"
    r"|fibroblasts?|neurons?|macrophages?|hepatocytes?|cardiomyocytes?|keratinocytes?|astrocytes?|myoblasts?|blastocysts?)\b)"
)
_CELLISH_PATTERN = re.compile(_CELLISH)

_NOT_GENES = frozenset(  # shaped like a symbol, common near an edit, never the edited gene
    "CRISPR DNA RNA PCR KO KI KD DKO WT ES IPSC GFP EGFP YFP RFP MRI ELISA MRNA CDNA GRNA SGRNA SIRNA SHRNA QPCR RT "
    "PBS SDS PAGE NIH TALEN TALENS ZFN HDR NHEJ INDEL INDELS UTR CAG GO KEGG ATP GTP SEM SD ANOVA HE DAPI BSA FBS "
    "USA EDTA AND THE NOT FOR IN OF II III IV VI MIRNA LNCRNA SNP GWAS PAM CRE LOXP NEO TK BAC FIG TABLE BP "
    "KB MM PH".split()
)
_SYMBOL = (
    r"[A-Z][A-Z0-9]+[a-z]?(?:-\d+[αβγδ]?)?|[A-Z][a-z]{1,5}-?\d+[a-z]?\d?|[a-z]{2,5}\d+[a-z]{0,3}"
    r"|[A-Z][a-z]?[A-Z][A-Za-z0-9]+"
)
_AFTER = (
    rf"(?={_GENOTYPE}|[\s{DASH}](?:(?:gene|locus|homozygous|double) )?"
    r"(?:deficien|null|mutant|mutation|knock|KO\b|delet|disrupt|edit))"
)
# An acronym before "cells" or "patients" names them: OC cells.
_NOT_BEFORE = rf"(?![\s{DASH}](?:(?:cancer )?cells?|cell lines?|patients?|tumou?rs?|mice|rats?)\b)"
_CANDIDATE = re.compile(
    rf"{_LEFT}(?:(?P<plain>{_SYMBOL})(?![A-Za-z0-9]){_NOT_BEFORE}|(?P<named>[A-Z][a-z]{{2,6}}){_AFTER})"
)


def find_terms(text: str, terms: DocumentTerms = DocumentTerms()) -> list[TermSpan]:
    """Mentions of the document's genes and cells and of edit words, in order, not overlapping.

    Where two overlap a gene wins over a cell, a cell over an edit word, then the longer. What is glued to a gene
    as its allele (Foxq1-/-, Glb1G455R) is an edit. Without genes and cells only edit words are found.
    """
    gene, cell = _compiled(terms)
    found = []
    for match in gene.finditer(text) if gene else ():
        found.append((0, match.start("gene"), match.end("gene"), TermKind.GENE))
        if match["allele"]:
            start = match.end("allele") - len(match["allele"].lstrip())
            found.append((0, start, match.end("allele"), TermKind.EDIT))
    found += [(1, *m.span(), TermKind.CELL) for m in (cell.finditer(text) if cell else ())]
    found += [(2, *m.span(), TermKind.EDIT) for m in _EDIT_PATTERN.finditer(text)]
    taken: list[TermSpan] = []
    for _, start, end, kind in sorted(found, key=lambda f: (f[0], f[1] - f[2], f[1])):
        if start < end and all(end <= span.start or span.end <= start for span in taken):
            taken.append(TermSpan(start, end, kind))
    return sorted(taken, key=lambda span: span.start)


def find_cell_mentions(text: str) -> list[TermSpan]:
    """Likely mentions of cells, cell lines and organisms, without labels."""
    return [TermSpan(*m.span(), TermKind.CELL) for m in _CELLISH_PATTERN.finditer(text)]


def find_gene_symbols(text: str) -> list[TermSpan]:
    """Likely gene symbols, without labels: shaped like one (FOXA1, nos2b, OsFucT), or a name before an edit word."""
    return [TermSpan(*m.span(), TermKind.GENE) for m in _CANDIDATE.finditer(text) if not _is_common(m[0])]


def is_tool(span_text: str) -> bool:
    """True for an edit mention that names a tool (CRISPR, Cas9, siRNA), False for an act (knockout, -/-)."""
    return _TOOL_PATTERN.match(span_text) is not None


def guess_terms(sentences: Sequence[str], most: int = 3) -> DocumentTerms:
    """Likely edited genes of an article without labels, at most `most`, best first; cells are left empty.

    A symbol earns 1 for each sentence where it stands within NEAR characters of an act of editing, and 1/4 for each
    other sentence up to four; those with at least half of the best score are kept. Nothing near an edit: empty.
    """
    near: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    names: dict[str, str] = {}
    for text in sentences:
        symbols = find_gene_symbols(text)
        if not symbols:
            continue
        acts = [s for s in find_terms(text) if not is_tool(text[s.start : s.end])]
        keys = {(text[s.start : s.end].lower(), any(gap(s, act) <= NEAR for act in acts)) for s in symbols}
        names.update({text[s.start : s.end].lower(): text[s.start : s.end] for s in symbols})
        near.update({key for key, is_near in keys if is_near})
        seen.update({key for key, _ in keys})
    score = {key: count + min(seen[key] - count, 4) / 4 for key, count in near.items()}
    best = sorted(score, key=lambda key: (-score[key], key))[:most]
    return DocumentTerms(genes=tuple(names[key] for key in best if score[key] >= score[best[0]] / 2))


def gap(one: TermSpan, other: TermSpan) -> int:
    """Characters between two spans, 0 when they touch or overlap."""
    return max(one.start - other.end, other.start - one.end, 0)


def _is_common(symbol: str) -> bool:
    return symbol.upper() in _NOT_GENES or any(p.match(symbol) for p in (_TOOL_PATTERN, _CELLISH_PATTERN))


@lru_cache(maxsize=256)
def _compiled(terms: DocumentTerms) -> tuple[re.Pattern[str] | None, re.Pattern[str] | None]:
    genes = {part for name in terms.genes for part in _parts(name)}
    cells = {pattern for name in terms.cells for part in _parts(name) for pattern in _cell_patterns(part)}
    gene = cell = None
    if genes:
        bodies = "|".join(_gene_pattern(name) for name in sorted(genes, key=lambda g: (-len(g), g)))
        glued = "|".join(re.escape(name) for name in sorted(genes) if len(name) > 3)
        glued = rf"|(?<=[a-z])(?=(?:{glued}){_GENOTYPE})" if glued else ""
        gene = re.compile(rf"(?:{_LEFT}(?:[hmr](?=[A-Z]))?{glued})(?P<gene>{bodies})(?:(?P<allele>{_ALLELE}))?{_RIGHT}")
    if cells:
        bodies = "|".join(sorted(cells, key=lambda c: (-len(c), c)))
        cell = re.compile(rf"{_LEFT}(?:{bodies}){_RIGHT}", re.I)
    return gene, cell


def _parts(name: str) -> Iterable[str]:
    """A name without its brackets, and what the brackets hold: "rice (Oryza sativa)"; too short ones are left out."""
    outer = re.sub(r"\s*[(\[][^()\[\]]*[)\]]", "", name)
    parts = (outer, *re.findall(r"[(\[]([^()\[\]]*)[)\]]", name))
    return (part.strip() for part in parts if len(re.sub(r"[\W_]", "", part)) > 1)


def _runs(name: str) -> list[str]:
    return re.findall(r"[α-ωΑ-Ω]|\d+|[^\W\d_α-ωΑ-Ω]+", name)


def _joined(runs: Sequence[str], gap_pattern: str) -> str:
    """The runs as one pattern; between two digits some gap must stay (L3.6 is not L36)."""
    pattern = ""
    for before, run in zip(("", *runs), runs, strict=False):
        gap_here = "" if not before else gap_pattern + ("{1,2}" if before.isdigit() and run.isdigit() else "{0,2}")
        spelled = _GREEK.get(run.lower(), run.lower())
        letter = next((greek for greek, word in _GREEK.items() if word == spelled), "")
        latin = f"|{spelled[0]}" if r"\s" not in gap_pattern else ""  # TNFa, but not "factor a"
        pattern += gap_here + (f"(?:{letter}|{spelled}{latin})" if letter else re.escape(run))
    return pattern


def _gene_pattern(name: str) -> str:
    """Long names and symbols with a digit ignore case; a short letters-only symbol matches as given, upper or Title,
    and Title not at a sentence's start unless an edit follows (gene KIT is neither "kit" nor "Kit components")."""
    runs = _runs(name) or [name]
    if re.search(r"\s", name) or max(map(len, runs)) >= 7:
        return rf"(?i:{_joined(runs, _GAP)}s?)"
    hyphened = _joined(runs, rf"[{DASH}_./,]")
    if runs[-1][-1:] in "ABGD" and any(r.isdigit() for r in runs):  # IL1A is also IL-1α
        letter = "αβγδ"["ABGD".index(runs[-1][-1])]
        hyphened += f"|{hyphened[:-1]}[{DASH}]?(?:{letter}|{_GREEK[letter]})"
    if re.search(r"\d|[α-ωΑ-Ω]", name):
        spaced = "|".join({_joined(form, r"\s") for form in (tuple(runs), tuple(r.upper() for r in runs))})
        return f"(?i:{hyphened})|{spaced}"
    upper = _joined([run.upper() for run in runs], rf"[{DASH}_./]")
    title = re.escape(name[:1].upper() + name[1:].lower())
    guarded = rf"(?:(?<![.!?]\s)(?<!^){title}|{title}{_AFTER})"
    exact = [] if name == name[:1].upper() + name[1:].lower() else [hyphened]
    return "|".join([*exact, upper, guarded])


def _cell_patterns(name: str) -> list[str]:
    """A cell's name with or without head noun and source organism, plural; an organism's other words; S. mansoni."""
    ends = (name, name.rsplit(maxsplit=1)[-1])
    patterns = [w for w in _ORGANISMS.values() if any(re.fullmatch(w, end, re.I) for end in ends)]
    binomial = re.match(r"([A-Z])[a-z]+ ([a-z]{4,})", name)
    if binomial:
        patterns.append(rf"(?:{binomial[0]}|{binomial[1]}\. ?{binomial[2]})")
    core = _SOURCE.sub("", _HEAD.sub("", name))
    core = re.sub(r"^[hmr](?=i?[A-Z]{2})", "", core)
    core = re.sub(r"(?<=[a-z0-9A-Z]{3})(?<!s)s$", "", core)
    if patterns and re.search(r"\d", core):  # C57BL/6 mouse is also C57BL/6
        core = core.rsplit(maxsplit=1)[0]
    runs = _runs(core)
    if len("".join(runs)) < 2:
        return patterns
    body, head = rf"[hmr]?{_joined(runs, _GAP)}", rf"{_GAP}(?:cancer |tumou?r )?(?:cells?|cell lines?|lines?)"
    # "OC cells": OC alone may be the disease, so it needs its plural or a head noun.
    acronym = len(core) <= 3 and core.isalpha() and _HEAD.search(name)
    return [*patterns, f"{body}(?:s|{head})" if acronym else f"{body}s?(?:{head})?"]
