"""The rules that decide whether a sentence ends at a candidate: each answers yes, no, or nothing.

docs/sentences.md tells the rules in words and what they were measured to do.
"""

import re
import sys
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

# Never the last word of a sentence: words that point at what follows.
NEVER_FINAL = frozenset(
    "approx aff ca cf e.g eg eq eqn eqns eqs equ esp excl fig figs i.e ie incl ref refs resp suppl tab tabs viz vs "
    "v.s w.r.t".split()
)
# Never final either, but only with this capital: "ms" and "mt" are milliseconds and mitochondrial.
TITLES = frozenset("Dr Drs Mr Mrs Ms Mt Prof St".split())
CAPITALS = frozenset("FIG FIGS NO NOS TAB VS EQ REF".split())  # abbreviations also when all in capitals
# Final or not: a sentence ends there when a listed opener follows (Punkt's frequent sentence starters).
MAYBE_FINAL = frozenset(
    "al bros co comm corp cv d.c dept e.u gen inc jr ltd nov obs p.r pers ph.d sp spp sr ssp subsp u.k u.s u.s.a "
    "univ unpubl var".split()
)
ABBREVIATIONS = NEVER_FINAL | TITLES | MAYBE_FINAL
# Abbreviations before a number only; "no", "art", "min" or "app" also end sentences as plain words.
BEFORE_NUMBER = frozenset(
    "app art ch chap chr ed eds ext fn max min no nos nr p pg pl pos pp sec sect ser suppl ver vol vols "
    "jan feb mar apr jun jul aug sep sept oct nov dec".split()
)

# Words seldom capitalised inside a sentence; the commonest first words of sentences in the 92 articles.
OPENERS = frozenset(
    "according accordingly additionally after all also although among an and another any as at based because before "
    "besides both briefly but by collectively compared consequently consistent conversely despite due during each "
    "either even finally first firstly following for from further furthermore given he hence here however if "
    "importantly in indeed instead interestingly it its lastly many moreover most neither nevertheless next none "
    "nonetheless not notably note now of on once one only other our overall previous previously rather recent "
    "recently second secondly see several she similar similarly since so some specifically subsequently such "
    "surprisingly taken that the their then there therefore these they third thirdly this those three thus to "
    "together two under unlike until using we what when whereas whether which while with within without".split()
)
# After these a single letter is an initial; after another word in lower case it names a thing: "vitamin C. Mice".
BEFORE_NAMES = frozenset(
    "and as at between but by classic for from in into like of on or see than that the to towards via with "
    "author colleague colleagues friend president professor species student".split()
)
# Capital after "S.": the serovars of Salmonella are the only names of species so written.
SEROVARS = ("Typhi", "Enter", "Paratyphi", "Dublin", "Newport", "Heidelberg", "Infantis", "Gallinarum", "Cholerae")
# "Figure 1. Mean weights" is one sentence: the label says nothing by itself.
LABELS = (
    r"(?:(?:supp\w*\.?|additional|online|extended\ data)\s)?"
    r"(?:fig(?:ure)?s?\.?|tables?|schemes?|box|movie|video|file|text|data\s?set|step|theorem|lemma|algorithm|"
    r"appendix|section|part|panel)"
)


if TYPE_CHECKING:
    from nltk.tokenize.punkt import PunktSentenceTokenizer

_BEFORE_WORD = re.compile(r"[\s(\[{\"“‘'—–/,;:=<>]")
_OPENING = "([{\"'“‘«*•·–— "
_CONTINUES = tuple(",;:)]}=<>/+.?!&±×≥≤→")
_MARKER = re.compile(r"\(?(?:\d{1,2}(?:\.\d{1,2}){0,3}|[ivxIVX]{1,4}|[A-Za-z](?:(?:[-–,]|,?\s(?:and\s)?)[A-Za-z])?)")
_LABEL = re.compile(rf"{LABELS}\s(?:[A-Z]{{1,2}})?\d{{0,3}}[A-Za-z]?(?:\.\d{{1,2}})?", re.IGNORECASE)
_PANEL = re.compile(r"\(\s?[A-Za-z0-9]{1,4}\s?\)|[a-z][.)]\s|[ivx]{1,4}[.)]\s")
# mRNA, p53, miR-21, c-Myc, iPSCs, dCas9, let-7, eIF4E, rpoB, p-values, α-tubulin, 5′-ends, van der Berg
_SCIENCE_LOWER = re.compile(
    r"[a-z]{1,5}(?:[-‐–]?[A-Z0-9]|[-‐–][A-Z0-9])|[a-z][-‐–][a-z]{3,}|[α-ω]|[a-z]\s[<>=≤≥]|"
    r"(?:van|von|de|del|della|di|da|dos|du|la|le|ter|ten)\s(?:(?:den|der|la|los|las)\s)?[A-Z]"
)
_DOTTED_INITIALS = re.compile(r"[^\W\d_](?:\.[-‐]?[A-Z])*")
_QUANTITY = re.compile(r"(?:\d\s?|°\s?)$")
_CITED = re.compile(r"\w\u2009$")  # what the readers of articles write before a raised number of a reference
_SUPPORTING = re.compile(r"\bS\d{1,3}\s$")  # "as shown in S1 Fig. Mice"
_URL = re.compile(r"[@/\\_.]|www")


@dataclass(slots=True)
class Candidate:
    """A place where a sentence may end: text[start:mark] is the sentence so far, the next one begins at match.end()."""

    text: str
    start: int
    mark: int
    match: re.Match[str]
    bracket: int | None  # where the bracket opened that holds the next sentence's start
    closed: bool  # the tail closes a bracket that opened inside this sentence
    word: str = ""
    key: str = ""  # the word as the lists hold it
    before: str = ""
    following: str = ""
    opener: str = ""  # the next word without opening brackets and quotes, as it is written

    def __post_init__(self) -> None:
        head = self.text[max(self.start, self.mark - 80) : self.mark].rstrip()
        before = _BEFORE_WORD.search(head[::-1])  # from its end, where the word is
        split = len(head) - before.start() if before else 0
        self.before, self.word = head[:split], head[split:]
        last = self.word.rsplit("-", 1)[-1]  # "text-Fig. 4"
        # Titles keep their capital, bare capitals ("CA") only name a figure.
        whole = self.word in TITLES or (
            self.word.isupper() and "." not in self.word and len(self.word) > 1 and self.word not in CAPITALS
        )
        self.key = self.word if whole else last if last in TITLES else last.lower()
        end = self.match.end()
        self.following = self.text[end : end + 40]
        self.opener = "".join(self.following.lstrip(_OPENING).split(maxsplit=1)[:1])

    @property
    def period(self) -> bool:
        """Whether the mark is a full stop."""
        return self.match["mark"] == "."

    @property
    def opens(self) -> bool:
        """Whether the next word is a listed opener with a capital."""
        word = self.opener.rstrip(",:;")
        return word[:1].isupper() and word.lower() in OPENERS

    @property
    def cites(self) -> bool:
        """Whether a citation number follows the mark."""
        return any(char.isalnum() or char in "¹²³⁰⁴⁵⁶⁷⁸⁹" for char in self.match["tail"])


def ends_sentence(candidate: Candidate) -> bool:
    """Whether a sentence ends at the candidate: the first rule that answers decides, else Punkt does."""
    for rule in RULES:
        verdict = rule(candidate)
        if verdict is not None:
            return verdict
    word = candidate.word
    if candidate.period and _is_plain(word):
        return True
    word = re.sub(r"[()\[\]]+(?=\w)", "", word)  # "metal(loid)s" is one word
    behind = candidate.opener.rstrip(",:;") or "-"
    return bool(_punkt().text_contains_sentbreak(f"{word}{candidate.match['mark']} {behind}"))


def _is_plain(word: str) -> bool:
    """Whether Punkt is known to end a sentence at a full stop behind this word: 95 of 100 that it would be asked."""
    if word.endswith((")", "]")):
        return True
    return len(word) > 1 and word.isascii() and word.isalpha() and word.lower() not in _PUNKT_ABBREVIATIONS


# Each rule answers True (the sentence ends), False (it goes on) or None (another rule decides); the first wins.


def blank_line(c: Candidate) -> bool | None:
    """A blank line always ends a sentence."""
    return True if c.text.count("\n", c.match.end("tail"), c.match.end()) > 1 else None


def goes_on_with_punctuation(c: Candidate) -> bool | None:
    """No sentence starts with a comma, a closing bracket or a sign of relation."""
    return False if c.following.startswith(_CONTINUES) else None


def inside_bracket(c: Candidate) -> bool | None:
    """A bracket opened in mid-sentence holds no sentence end; one that opens the sentence may."""
    return False if c.bracket is not None else None


def closes_abbreviation(c: Candidate) -> bool | None:
    """ "(Smith et al.) showed", "(Sigma Inc.) Mice", "(?) Strain": the mark belongs to the bracket only."""
    if not c.closed:
        return None
    return False if len(c.word) < 2 or c.key in ABBREVIATIONS else None


def list_marker(c: Candidate) -> bool | None:
    """ "1. Wash", "A. Left", "Figure 1. Mean": marker and label belong to the sentence that they open."""
    if not c.period or c.mark - c.start > 40 or c.match["tail"] not in {"", ")"}:
        return None
    sentence = c.text[c.start : c.mark].lstrip("“\"'*•· ")
    return False if _MARKER.fullmatch(sentence) or _LABEL.fullmatch(sentence) else None


def marker_after_colon(c: Candidate) -> bool | None:
    """ "as follows: 1. Wash" goes on."""
    if c.period and c.before.endswith((": ", "; ")) and re.fullmatch(r"\d{1,2}|[ivx]{1,4}|[IVX]{1,4}|A", c.word):
        return False
    return None


def abbreviation(c: Candidate) -> bool | None:
    """Words that point forward go on; others go on before numbers and brackets, else Punkt asks for an opener."""
    if not c.period or c.key not in ABBREVIATIONS:
        return None
    if c.key == "fig" and _SUPPORTING.search(c.before):
        return re.match(r"[A-Z][a-z]", c.following) is not None
    if c.key in NEVER_FINAL or c.key in TITLES:
        return False
    bracket = c.following[0] in "([" or c.match["tail"].lstrip().startswith("[")
    return False if bracket or not c.following.lstrip(_OPENING)[:1].isupper() else None


def before_number(c: Candidate) -> bool | None:
    """ "No. 5", "vol. S2", "min. 3" go on; "5 min. 12 rats" ends."""
    if not c.period or c.key not in BEFORE_NUMBER or c.cites or _is_quantity(c):
        return None
    return False if re.match(r"[#§]?\s?S?\d", c.following) else None


def without_space(c: Candidate) -> bool | None:
    """ "cells.We found": safe after a plain word, a bracket or a citation, never in an address or a file name."""
    if c.match.end() > c.match.end("tail"):
        return None
    token = c.text[max(c.start, c.mark - 80) : c.mark].split()[-1:]
    if not token or _URL.search(token[0]) or not c.opens:
        return False
    plain = c.word.isalpha() and c.word.islower() and len(c.word) > 2
    return plain or bool(c.match["tail"]) or c.word[-1:] in {")", "]"} or c.cites


def lower_case(c: Candidate) -> bool | None:
    """Lower case goes on, but for panel letters, names of particles (van der) and lower-case names of science."""
    following = c.following.lstrip(_OPENING)
    if not following[:1].islower():
        return None
    if c.key in ABBREVIATIONS:
        return False
    whole = len(c.word) > 1 or _is_quantity(c) or c.cites or c.closed
    if whole and (_PANEL.match(c.following) or _SCIENCE_LOWER.match(c.following.lstrip("\"'“‘ "))):
        return True
    plain = c.word.isalpha() and c.word.islower() and len(c.word) > 4
    return plain and c.opener in {"the", "this", "these", "we", "our", "however"}


def citation_after_space(c: Candidate) -> bool | None:
    """ "cells. 12 We": the number is a citation of the sentence before; its end is a candidate of its own."""
    return True if c.cites else None


def initials(c: Candidate) -> bool | None:
    """Initials go on, save before an opener, after a number (a unit) or after a word that a letter names."""
    if not c.period or not c.opener[:1].isupper() or not _DOTTED_INITIALS.fullmatch(c.word):
        return None
    if c.opens or len(c.opener + c.word) == 2:  # "the power of Q. Q is"
        return True
    if len(c.word) > 1 or (c.word == "p" and re.match(r"[A-Z][a-z]{0,2}\d", c.opener)):  # "p. R214H", a protein
        return False
    latin_capital = c.word.isascii() and c.word.isupper()
    if not latin_capital or c.match["tail"] or _is_quantity(c) or c.before[-1:] not in {"", " ", "(", "["}:
        return True  # a variable, a unit, a quoted letter, the last of "12A–D": authors' initials are none of these
    if (c.opener[1:2] == "." and c.opener[0].isalpha()) or c.opener.startswith(SEROVARS):
        return False
    previous = (c.before.split() or [""])[-1]
    noun = previous[:1].islower() or (previous[:1].isalpha() and previous.isupper() and len(previous) > 2)
    return noun and previous[-1].isalnum() and previous not in BEFORE_NAMES


def acronym(c: Candidate) -> bool | None:
    """ "HLA-DR. Cells", "by MS. Peaks": capitals are no abbreviation of a title, even if Punkt's list says so."""
    return True if c.word.isupper() and len(c.word) > 1 and c.key not in ABBREVIATIONS else None


def numbers(c: Candidate) -> bool | None:
    """ "1. 5 mg" is one number torn apart; after a year, or before a longer number, a sentence may start."""
    if not c.period or not c.word.isdigit() or len(c.word) > 2 or _CITED.search(c.before):
        return None
    return False if re.match(r"\d{1,3}(?![\d.,/%–-])", c.following) else None


def ellipsis(c: Candidate) -> bool | None:
    """ "and so on... Then" ends, "x1, ... XN" goes on."""
    if c.match["mark"] not in {"...", "…", ".."}:
        return None
    return bool(c.word) and c.text[c.mark - 1 : c.mark].strip() != "" and c.opener[:1].isupper()


RULES = (
    blank_line,
    goes_on_with_punctuation,
    inside_bracket,
    closes_abbreviation,
    list_marker,
    marker_after_colon,
    abbreviation,
    before_number,
    without_space,
    lower_case,
    citation_after_space,
    initials,
    numbers,
    ellipsis,
    acronym,
)


_PUNKT_ABBREVIATIONS = NEVER_FINAL | MAYBE_FINAL


@cache
def _punkt() -> "PunktSentenceTokenizer":
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer  # noqa: PLC0415 (with pandas and scikit-learn, a second)

    parameters = PunktParameters()
    parameters.abbrev_types = set(_PUNKT_ABBREVIATIONS)
    parameters.sent_starters = set(OPENERS)
    return PunktSentenceTokenizer(parameters)


def load_punkt_only() -> None:
    """Loads Punkt without SciPy and scikit-learn, which NLTK takes along where they are: .3 s of a core for 1.5.

    For a process in which nothing else is imported meanwhile; NLTK's own parts that need them stay without them there.
    """
    left_out = [name for name in ("scipy", "sklearn") if name not in sys.modules]
    try:
        for name in left_out:
            sys.modules[name] = None  # type: ignore[assignment]  # (it cannot be imported)
        _punkt()
    finally:
        for name in left_out:
            del sys.modules[name]


def _is_quantity(c: Candidate) -> bool:
    return _QUANTITY.search(c.before) is not None or (c.word[:1].isdigit())
