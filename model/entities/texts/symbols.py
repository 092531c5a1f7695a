"""Symbols of genes as an article writes them: whole, with their affixes, and those that no vocabulary holds."""

import re
from collections.abc import Iterator

# Another product of a gene than its protein, or a gene of its own: circ-MFN2, lncRNA-MAP3K4, miR-21.
_PRODUCT = re.compile(r"(?<![A-Za-z0-9])(?:circ(?:RNA)?|lnc(?:RNA)?|linc(?:RNA)?|miR)[-_\u2010\u2011]?$")
_CALLED_PRODUCT = re.compile(r"(?:hsa_)?(?:circ|lnc|linc|mi[rR])(?:RNA)?[-_\u2010\u2011]?[A-Z\d]")
# The organism before its gene's name: bcNLK, EsCDA, OsFucT. Not what reagents are called (siTP53) nor h, m, r.
_ORGANISM = re.compile(r"(?<![A-Za-z0-9])(?!si|sh|sg|anti|pro|phospho)(?:[A-Z][a-z]{1,4}|[a-z]{2,4})$")
_GREEK_BEHIND = re.compile(r"[-\u2010\u2011\u00a0]?[α-ωΑ-Ω](?!(?!fl|KO|KD|null)[A-Za-zα-ω])")
_ARM_BEHIND = re.compile(r"[-\u2010\u2011][35]p(?![A-Za-z0-9])")  # of a microRNA: miR-141-3p
_TRANSCRIPT_BEHIND = re.compile(r"[-\u2010\u2011]\d{1,2}(?![\dA-Za-z])")  # of a long RNA: lnc-MICALL2-2
# The subtype before its receptor: M2-AChR.
_SUBTYPE = re.compile(r"(?<![A-Za-z0-9-])[A-Zα-ω]\d[-\u2010\u2011]$")
_EDIT_GLUED = re.compile(r"(?<=[A-Za-z0-9]{3})K[OID]$")  # MC4RKO
_LOCUS_BEHIND = re.compile(r"_\d{3,6}(?!\d)")
# What a shared stem goes on with: CforCSP1, 5 and 6; Smad2/3.
_MORE = re.compile(
    r"(?:\s*(?:,|/|,?\s*and|&|or)\s*\d{1,2}(?![\d.,]*\d|\s*(?:%|[a-zµ]?[gmlM]\b|h\b|days?|weeks?|mice|cells|patients)))+"
)
_NUMBERED = re.compile(r"(.*?[A-Za-z])(\d{1,2})")
_LONGEST_BEFORE = 9
_CHANGE = r"[A-Z]\d{1,4}[A-Z*](?![A-Za-z0-9])"  # of an amino acid, glued to its gene: Glb1G455R
# Shaped like symbols: believed only next to an edit.
_SYMBOL = re.compile(
    r"(?<![A-Za-z0-9-])(?:(?:hsa_)?(?:circ|lnc|linc|mi)(?:RNA)?[-_\u2011]?[A-Z\d][A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)?"
    r"|A[CLP]\d{6}\.\d{1,2}"  # clones, by which long RNAs are called
    r"|[A-Z][A-Za-z]{1,5}_\d{3,6}"  # loci of bacteria, fungi and plants
    r"|C\d{1,2}orf\d{1,3}"  # open reading frames
    r"|[A-Z][A-Z0-9]+[a-z]?(?:-\d+)?|[A-Z][a-z]{1,5}-?\d+[a-z]?\d?|[a-z]{2,5}\d+[a-z]{0,3}"
    rf"|[A-Z][a-z]{{1,5}}\d+(?!{_CHANGE})[A-Z][A-Za-z0-9]*"  # Cyp3A4, Rab5A
    r"|[A-Za-z][a-z]{0,4}[A-Z][A-Za-z0-9]+(?:-[A-Za-z0-9]{1,2})?"
    r"|[A-Za-z][a-z]{2}[A-Z])(?![A-Za-z0-9])"  # ApoE, recA
    rf"|(?<![A-Za-z0-9-])[A-Z][a-z]{{1,5}}\d+(?={_CHANGE})"
)
_TOOLS = re.compile(
    r"(?i:crispr\w*|d?cas\d+\w*|\w{0,6}cas(?:9|1[23])\w*|talens?|zfns?|[sp]?g?rna\w*|[a-z]*rnas?|[a-z]*dnas?|pcr"
    r"|q?rt-?pcr|e?gfp|cre|wt|k[oid]|dko|hdr|nhej|ssodn|indels?|mri|elisa|snps?|utr|iPSCs?|[hm]?ESCs?|lacz|luc\w*|pam|aav\d*|nc|ctrl|con|scr)"
)
# What silences, glued before the symbol of what it silences: dsNlATG3, shTP53.
_SILENCER = re.compile(r"(?:ds|si|sh)(?=[A-Z]{2}|[A-Z][A-Za-z]*\d)")


def symbols_in(text: str) -> Iterator[tuple[int, int]]:
    """The spans that are shaped like a symbol and are no tool of the laboratory."""
    for match in _SYMBOL.finditer(text):
        silencer = _SILENCER.match(match[0])
        start = match.start() + len(silencer[0]) if silencer else match.start()
        if not _TOOLS.fullmatch(match[0]) and not _TOOLS.fullmatch(text[start : match.end()]):
            greek = _GREEK_BEHIND.match(text, match.end())
            edit = _EDIT_GLUED.search(match[0])
            end = match.start() + edit.start() if edit else match.end()
            yield start, greek.end() if greek else end


def is_product(symbol: str) -> bool:
    """True for what begins as circular, long and micro RNAs are called in small letters: circ_0012152, miR-21."""
    return _CALLED_PRODUCT.match(symbol) is not None


def whole_symbol(text: str, start: int, end: int) -> tuple[int, int, bool]:
    """The span of a name with its affixes, and whether it is the same gene: circ-MFN2 is another than MFN2."""
    if greek := _GREEK_BEHIND.match(text, end):
        end = greek.end()
    if locus := _LOCUS_BEHIND.match(text, end):
        return start, locus.end(), False
    if arm := _ARM_BEHIND.match(text, end):
        end = arm.end()
    before = text[max(0, start - _LONGEST_BEFORE) : start]
    if product := _PRODUCT.search(before):
        transcript = _TRANSCRIPT_BEHIND.match(text, end)
        return start - len(product[0]), transcript.end() if transcript else end, False
    if glued := _ORGANISM.search(before) or _SUBTYPE.search(before):
        return start - len(glued[0]), end, False
    return start, end, True


def with_shared_stem(text: str, start: int, end: int) -> list[str]:
    """The other names of a list that shares the stem of this one: CSP5 and CSP6 of "CSP1, 5 and 6"."""
    stem, more = _NUMBERED.fullmatch(text[start:end]), text[end : end_of_list(text, start, end)]
    return [f"{stem[1]}{number}" for number in re.findall(r"\d+", more)] if stem else []


def end_of_list(text: str, start: int, end: int) -> int:
    """Where the list ends that shares the stem of this name; the end of the name where there is none."""
    more = _MORE.match(text, end) if _NUMBERED.fullmatch(text[start:end]) else None
    return more.end() if more else end
