"""Which names of genes in a text are meant as genes, without a tagger: case, shape, what the text itself says a short
form stands for, and what abstracts mostly mean by it."""

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from importlib.resources import files

from model.entities.lexicon import Lexicon
from model.entities.marking import Hit
from model.entities.texts.abbreviations import introduced
from model.entities.texts.spelling import NOT_GENES, Agreement, is_plain_word, is_short
from model.names import fold_name

CELLS_BEHIND = re.compile(r"[\s-]*(?:\([^()]{1,12}\)\s*)?(?:[a-z]+\s)?(?:cells?|cell[- ]lines?|lines?|clones?)\b")
# Words that a long form of a gene's short form ends in or holds.
_GENE_WORD = re.compile(
    r"(?:proteins?|receptors?|kinases?|factors?|genes?|antigens?|hormones?|ligands?|transporters?|channels?|enzymes?"
    r"|inhibitors?|activators?|subunits?|homologs?|cyclins?|interleukins?|interferons?|chemokines?|cytokines?|integrins?"
    r"|globulins?|collagens?|peptides?|domains?|family|member|oncogenes?|suppressors?|regulators?|antagonists?"
    r"|\w{3,}(?:ase|ases|ogen|kine|kines|ectin|adherin|albumin|globin|ferrin|poietin|tropin|statin))"
    r"(?:[\s-]+(?:[a-z]|\d+|alpha|beta|gamma|[α-ω]|I{1,3}|[a-z]?\d+))*$",
    re.IGNORECASE,
)
# How proteins are called in small letters: renin, calcineurin, raptor.
_PROTEIN = re.compile(r"(?:in|ins|ase|ases|gen|kines?|ors?|tide)$")
_LONG_WORD = 6  # letters: shorter plain words are words, unless abstracts say that they are genes


def meant(text: str, hits: Collection[Hit], lexicon: Lexicon) -> list[Hit]:
    """The hits that a text without a tagger means as genes."""
    means_gene = {
        short: bool(_GENE_WORD.search(long))
        or any(lexicon.key_of(fold_name(form)) is not None for form in (long, f"{long}s", long.removesuffix("s")))
        for short, long in introduced(text).items()
    }
    return [hit for hit in hits if _may_be(text, hit, means_gene)]


def _may_be(text: str, hit: Hit, means_gene: Mapping[str, bool]) -> bool:
    written = text[hit.start : hit.end]
    if written in NOT_GENES or CELLS_BEHIND.match(text, hit.end) or _is_joined_by_chance(written, hit):
        return False
    official = hit.rank == 0 and hit.agreement is Agreement.SAME
    # No long form takes away CCR5 of "C-C motif chemokine receptor 5".
    plainly = official and len(written) > 3 and any(letter.isdigit() for letter in written)
    if written in means_gene and not plainly:
        return means_gene[written]
    # A symbol in capitals, as the vocabulary writes it, is a gene although the list has it: BRAF, CFTR.
    listed = written in something_else() or (not written.isupper() and written.lower() in something_else())
    if listed and not (official and len(written) > 2 and written.isupper()):
        return False
    if hit.rank == 2:  # a description
        long = " " in written or "-" in written or len(written) > _LONG_WORD
        return long or hit.agreement is Agreement.SAME
    return _is_symbol(written, hit)


def _is_symbol(written: str, hit: Hit) -> bool:
    same = hit.agreement is Agreement.SAME
    if is_plain_word(written):
        return same and _PROTEIN.search(written) is not None
    if len(written) < 3:
        return same and any(letter.isdigit() for letter in written)
    if is_short(written):
        return hit.agreement >= Agreement.CASE_OF_ANOTHER_ORGANISM and (hit.rank == 0 or hit.entries <= 3)
    return hit.agreement > Agreement.FOLDED or any(letter.isdigit() for letter in written)


def _is_joined_by_chance(written: str, hit: Hit) -> bool:
    """True for words that only folding made one name: As a, CI 1, at 3, s.c, 80 kDa, and 2C of a bigger thing."""
    if hit.rank == 2:
        return False
    letters = sum(letter.isalnum() for letter in written)
    if ("." in written and letters < 4) or not any(letter.isalpha() for letter in written):
        return True
    parts = re.split(r"[\s.]+", written)
    if len(parts) > 1 and any(part.lower() in _FUNCTION_WORDS or part in NOT_GENES for part in parts):
        return True
    return written[0].isdigit() and (letters < 4 or len(parts) > 1)


_FUNCTION_WORDS = frozenset(
    "a an and are as at be by can did do for from had has have he her his if in into is it its may no nor not of on or"
    " our she so than that the their then they this to up us was we were what when which who will with".split()
)


@lru_cache(maxsize=1)
def something_else() -> frozenset[str]:
    """Names of genes that abstracts mostly use for something else, as they write them."""
    lines = (files("model.entities") / "lists/mean_something_else.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(lines)
