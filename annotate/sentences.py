"""Sentences of a paragraph as character spans: NLTK's Punkt, and around it rules for science text.

Punkt (Kiss and Strunk 2006, Computational Linguistics 32:485) runs untrained, with the abbreviations and sentence
openers listed here. It is asked only at candidates, an end mark before white space, and only where no rule
decides. docs/sentences.md tells the rules in words and what they were measured to do.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

# Twice the encoders' 512 word pieces at about 4 characters each is never read; the longest true sentence of the
# 92 articles that the rules were made on has fewer characters. Only tables and gene sequences run on so.
LONGEST_SENTENCE = 2000

# A bracket that closes later than this is taken for one that never closes ("1)" closing a lost "(").
LONGEST_BRACKET = 600

# Never the last word of a sentence: titles, and words that point at what follows.
NEVER_FINAL = frozenset(
    "approx aff ca cf dr e.g eg eq eqn eqns eqs esp excl fig figs i.e ie incl mr mrs ms mt prof ref refs resp "
    "st subsp suppl tab tabs viz vs v.s var cv ssp gen".split()
)
# Final or not: a sentence ends there when a listed opener follows (Punkt's frequent sentence starters).
MAYBE_FINAL = frozenset(
    "al bros co comm corp d.c e.u inc jr ltd nov obs p.r pers ph.d sp spp sr u.k u.s u.s.a unpubl univ dept".split()
)
# Abbreviations before a number only; "no", "art", "min" or "app" also end sentences as plain words.
BEFORE_NUMBER = frozenset(
    "app art ch chap ed eds ext fn no nos nr p pg pos pp sec sect ser suppl ver vol vols".split()
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
# After these a single letter is a name of something, so it may end a sentence: "vitamin C. Mice".
LETTERED = frozenset(
    "appendix box case class column cohort condition experiment factor fig figure genotype grade group hepatitis "
    "immunoglobulin influenza panel panels part phase point region serotype site stage strain subgroup subtype "
    "table type variant vitamin".split()
)
# "Figure 1. Mean weights" is one sentence: the label alone says nothing.
LABELS = (
    r"(?:(?:supp\w*\.?|additional|online|extended\ data)\s)?"
    r"(?:fig(?:ure)?s?\.?|tables?|schemes?|box|movie|video|file|text|data\s?set|step|theorem|lemma|algorithm|appendix)"
)

_GLUED_OPENERS = "|".join(word.capitalize() for word in sorted(OPENERS) if len(word) > 1)
_CITATION = r"\[\d[\d\s,;–—-]{0,60}+\]"
_SUPERSCRIPT = r"(?:(?<=[a-z]{3}\.)|(?<=[)\]%]\.))\d{1,3}(?:[,–-]\s?\d{1,3}){0,8}|[¹²³⁰⁴-⁹][¹²³⁰⁴-⁹,⁻–]*+"
_CANDIDATE = re.compile(
    rf"""(?<![.?!…])(?P<mark>[.?!…]++)
    (?P<tail>(?:[\"'”’»)\]}}]|\s?{_CITATION}(?:,(?=\s?\[\d))?|{_SUPERSCRIPT}){{0,6}}+)
    (?:\s++(?=\S)|(?=(?:{_GLUED_OPENERS})[\s,]))""",
    re.VERBOSE,
)
_WORD_BEFORE = re.compile(r"[^\s(\[{\"“‘'—–/,;:=<>]*$")
_OPENING = "([{\"'“‘«*•·–— "
_CONTINUES = tuple(",;:)]}=<>%/+.?!&±×≥≤→")
_MARKER = re.compile(
    r"\(?(?:\d{1,2}(?:\.\d{1,2}){0,3}|[ivxIVX]{1,4}|[A-Za-z](?:(?:[-–,]|,?\s(?:and\s)?)[A-Za-z])?)"
)
_LABEL = re.compile(rf"{LABELS}\s(?:[A-Z]{{1,2}})?\d{{0,3}}[A-Za-z]?(?:\.\d{{1,2}})?", re.IGNORECASE)
_PANEL = re.compile(r"\(\s?[A-Za-z0-9]{1,4}\s?\)|[a-z][.)]\s|[ivx]{1,4}[.)]\s")
# mRNA, p53, miR-21, c-Myc, iPSCs, dCas9, let-7, eIF4E, rpoB, p-values, α-tubulin, 5′-ends, van der Berg
_SCIENCE_LOWER = re.compile(
    r"[a-z]{1,5}(?:[-‐–]?[A-Z0-9]|[-‐–][A-Z0-9])|[a-z][-‐–][a-z]{3,}|[α-ω]|(?:van|von|de|del|della|di|da|dos|du|la|le|ter|ten)"
    r"\s(?:(?:den|der|la|los|las)\s)?[A-Z]"
)
_DOTTED_INITIALS = re.compile(r"[A-Z](?:\.[-‐]?[A-Z])*")
_QUANTITY = re.compile(r"(?:\d\s?|°\s?)$")
_SUPPORTING = re.compile(r"\bS\d{1,3}\s$")  # "as shown in S1 Fig. Mice"
_URL = re.compile(r"[@/\\_.]|www")
_WHITE = re.compile(r"\s+")


@dataclass(slots=True)
class Candidate:
    """A place where a sentence may end: text[start:mark] is the sentence so far, the next begins at next_start."""

    text: str
    start: int
    mark: int
    match: re.Match[str]
    bracket: int | None  # where the bracket opened that holds next_start
    closed: bool  # the tail closes a bracket that opened inside this sentence
    word: str = ""
    before: str = ""
    following: str = ""

    def __post_init__(self) -> None:
        head = self.text[max(self.start, self.mark - 80) : self.mark].rstrip()
        self.word = _WORD_BEFORE.search(head)[0]
        self.before = head[: len(head) - len(self.word)]
        end = self.match.end()
        self.following = self.text[end : end + 40]

    @property
    def period(self) -> bool:
        return self.match["mark"] == "."

    @property
    def opener(self) -> str:
        """The next word without opening brackets and quotes, as it is written."""
        words = self.following.lstrip(_OPENING).split(maxsplit=1)
        return words[0] if words else ""

    @property
    def opens(self) -> bool:
        """Whether the next word is a listed opener with a capital."""
        word = self.opener.rstrip(",:;")
        return word[:1].isupper() and word.lower() in OPENERS

    @property
    def cites(self) -> bool:
        return any(char.isalnum() or char in "¹²³⁰⁴⁵⁶⁷⁸⁹" for char in self.match["tail"])


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Half-open character spans of the sentences of one paragraph, in order, none of white space only.

    Spans carry no white space at their ends, and only white space lies between them, so that spans and gaps
    rebuild the text. No span is longer than LONGEST_SENTENCE. A text of white space has no sentences.
    """
    spans = []
    for start, end in _whole_sentences(text):
        spans.extend(_pieces(text, start, end))
    return spans


def _whole_sentences(text: str) -> Iterator[tuple[int, int]]:
    start, length = len(text) - len(text.lstrip()), len(text.rstrip())
    brackets = None
    for match in _CANDIDATE.finditer(text):
        if match.end() >= length or match.start() < start:
            continue
        if brackets is None:
            brackets = _brackets(text)
        mark, following = match.start(), match.end()
        opened = _opened(brackets, start, following)
        closed = _opened(brackets, start, mark) is not None and opened is None
        if _ends_sentence(Candidate(text, start, mark, match, opened, closed)):
            yield start, match.end("tail")
            start = following
    if start < length:
        yield start, length


def _ends_sentence(candidate: Candidate) -> bool:
    for rule in RULES:
        verdict = rule(candidate)
        if verdict is not None:
            return verdict
    return _punkt_ends(candidate)


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
    """ "(Smith et al.) showed", "(Sigma Inc.) Mice", "(?) Strain": the mark belongs to the bracket alone."""
    if not c.closed:
        return None
    lone = not c.word
    return False if lone or _is_abbreviation(c.word) or len(c.word) == 1 else None


def list_marker(c: Candidate) -> bool | None:
    """ "1. Wash", "A. Left", "Figure 1. Mean": marker and label belong to the sentence that they open."""
    if not c.period or c.mark - c.start > 40 or c.match["tail"] not in {"", ")"}:
        return None
    sentence = c.text[c.start : c.mark].lstrip("“\"'*•· ")
    if _MARKER.fullmatch(sentence) or _LABEL.fullmatch(sentence):
        return False
    return None


def marker_after_colon(c: Candidate) -> bool | None:
    """ "as follows: 1. Wash" goes on."""
    if (
        c.period
        and c.before.rstrip().endswith((":", ";"))
        and re.fullmatch(r"\d{1,2}|[ivx]{1,4}|[IVX]{1,4}|A", c.word)
    ):
        return False
    return None


def abbreviation(c: Candidate) -> bool | None:
    """Abbreviations that point forward go on; the others go on before numbers and brackets, else Punkt decides."""
    if not c.period:
        return None
    word = c.word.lower()
    if word == "fig" and _SUPPORTING.search(c.before):
        return re.match(r"[A-Z][a-z]", c.following) is not None
    if word in NEVER_FINAL or word.rsplit("-", 1)[-1] in NEVER_FINAL:
        return False
    number_next = c.following[0].isdigit() or c.following[0] in "#§" or re.match(r"S\d", c.following) is not None
    if word in BEFORE_NUMBER and number_next and not c.cites:
        return False
    if word in MAYBE_FINAL and (c.following[0] in "([" or not c.following.lstrip(_OPENING)[:1].isupper()):
        return False
    if word in MAYBE_FINAL and c.match["tail"].lstrip()[:1] == "[":
        return False
    return None


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
    plain = (len(c.word) > 2 or _is_quantity(c) or c.cites or c.closed) and not _is_abbreviation(c.word)
    if plain and (_PANEL.match(c.following) or (_SCIENCE_LOWER.match(following))):
        return True
    typo = c.word.isalpha() and c.word.islower() and len(c.word) > 4 and c.period
    return typo and plain and c.opener in {"the", "this", "these", "we", "our", "however"}


def citation_after_space(c: Candidate) -> bool | None:
    """ "cells. 12 We": the number is a citation of the sentence before; its end is a candidate of its own."""
    if c.cites:
        return True
    return None


def initials(c: Candidate) -> bool | None:
    """Initials go on, save before an opener, after a number (a unit) or after a word that letters name."""
    if c.period and len(c.word) == 1 and c.word.islower() and c.opener[:1].isupper():
        return True  # a variable or a unit: authors' initials are capital
    if not c.period or c.match["tail"] or not _DOTTED_INITIALS.fullmatch(c.word):
        return None
    if c.opens or (len(c.word) == 1 and _is_quantity(c)):
        return True
    previous = c.before.split()[-1:]
    if len(c.word) == 1 and previous and previous[0].lower() in LETTERED:
        return True
    return False


def numbers(c: Candidate) -> bool | None:
    """ "1. 5 mg" is one number torn apart; after a year, or before a longer number, a sentence may start."""
    if c.period and c.word.isdigit() and len(c.word) < 3 and re.match(r"\d{1,3}\b(?!-)", c.following):
        return False
    return None


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
    without_space,
    lower_case,
    citation_after_space,
    initials,
    numbers,
    ellipsis,
)


def _punkt() -> PunktSentenceTokenizer:
    parameters = PunktParameters()
    parameters.abbrev_types = set(NEVER_FINAL | MAYBE_FINAL)
    parameters.sent_starters = set(OPENERS)
    return PunktSentenceTokenizer(parameters)


_PUNKT = _punkt()


def _punkt_ends(c: Candidate) -> bool:
    return _PUNKT.text_contains_sentbreak(f"{c.word}{c.match['mark']} {c.opener.rstrip(',:;') or '-'}")


def _is_abbreviation(word: str) -> bool:
    return word.lower() in NEVER_FINAL or word.lower() in MAYBE_FINAL


def _is_quantity(c: Candidate) -> bool:
    return _QUANTITY.search(c.before) is not None or (c.word[:1].isdigit())


def _brackets(text: str) -> list[tuple[int, int]]:
    """Positions of opening and closing brackets that match, by opening; a stray one is left out."""
    pairs, stack = [], []
    for match in re.finditer(r"[()\[\]{}]", text):
        char, position = match[0], match.start()
        if char in "([{":
            stack.append((char, position))
            continue
        opening = "([{"[")]}".index(char)]
        while stack and position - stack[-1][1] > LONGEST_BRACKET:
            stack.pop()
        if stack and stack[-1][0] == opening:
            pairs.append((stack.pop()[1], position))
    return sorted(pairs)


def _opened(brackets: list[tuple[int, int]], start: int, position: int) -> int | None:
    """Where the bracket opened that holds the position and began inside the sentence, not at its start."""
    for opened, closed in brackets:
        if opened >= position:
            break
        if opened > start and closed >= position:
            return opened
    return None


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The span, cut at the last white space before LONGEST_SENTENCE (within a word if there is none)."""
    while end - start > LONGEST_SENTENCE:
        limit = start + LONGEST_SENTENCE
        gaps = [gap for gap in _WHITE.finditer(text, start, limit + 1) if gap.end() <= end]
        cut = gaps[-1].start() if gaps else limit
        yield start, cut
        start = cut + len(text[cut:end]) - len(text[cut:end].lstrip())
    yield start, end
