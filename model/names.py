"""One name, however a text writes it: IL-2, IL 2, Il2; TGF-β1, TGFB1; caspase III, caspase-3.

Everything that compares names asks here: the ranking, Find, the search index, entities and gold. `fold` writes a text
so that spellings of a name are equal, and `places` finds a name in such a text. `alike` writes the names of a text as
one word each. `run_pattern` gives the spellings of a part of a name as a regular expression. Unicode writes "ü" as one
character or as "u" and a mark: `composed` makes these one.
"""

import re
import unicodedata
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

# A hyphen and its look-alikes, to stand inside [].
DASH = "\\-\u2010\u2011\u2012\u2013\u2014\u2212"
LEFT, RIGHT = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])"
# Each Greek letter: how it is spelled, and the Latin letter that stands for it in names (TNFA, NFKB, HSPD1).
GREEK = {
    "α": ("alpha", "a"), "β": ("beta", "b"), "γ": ("gamma", "g"), "δ": ("delta", "d"), "ε": ("epsilon", "e"),
    "ζ": ("zeta", "z"), "η": ("eta", "h"), "θ": ("theta", "q"), "ι": ("iota", "i"), "κ": ("kappa", "k"),
    "λ": ("lambda", "l"), "μ": ("mu", "m"), "ν": ("nu", "n"), "ξ": ("xi", "x"), "ο": ("omicron", "o"), "π": ("pi", "p"),
    "ρ": ("rho", "r"), "σ": ("sigma", "s"), "τ": ("tau", "t"), "υ": ("upsilon", "u"), "φ": ("phi", "f"),
    "χ": ("chi", "c"), "ψ": ("psi", "y"), "ω": ("omega", "w"),
}  # fmt: skip
# Other characters for the same letters.
VARIANTS = {"ς": "σ", "ϵ": "ε", "ϑ": "θ", "ϕ": "φ", "µ": "μ"}
LATIN = {letter: latin for letter, (_, latin) in GREEK.items()} | {
    other: GREEK[letter][1] for other, letter in VARIANTS.items()
}
SPELLED = {letter: name for letter, (name, _) in GREEK.items()} | {
    other: GREEK[letter][0] for other, letter in VARIANTS.items()
}
# Greek words that stand in names: "pi", "nu", "chi", "rho" and others are more often something else.
_NAMED = "alpha beta gamma delta epsilon zeta eta theta kappa lambda sigma omega mu".split()
WORDS = {name: latin for name, latin in GREEK.values() if name in _NAMED} | {"kappab": "kb"}
ROMAN = {"I": "1", "II": "2", "III": "3", "IV": "4", "VI": "6", "VII": "7", "VIII": "8", "IX": "9"}
DIGITS = {digit: roman for roman, digit in ROMAN.items()}
# The shortest word that a Roman number counts: "II" is a number in "caspase II" and "COX II", not in "T II".
COUNTED = 3
BREAK = "|"

_LETTERS = "".join(LATIN) + "".join(LATIN).upper()
_RUN = re.compile(rf"\d+|[{_LETTERS}]|[^\W\d_{_LETTERS}]+")
# Between two runs of one name at most: blanks, dashes, an apostrophe, a full stop. All else ends a name.
_JOINING = re.compile(r"[\s\-\u00ad\u2010-\u2015\u2212_.'’′]{0,3}")
_LETTER_AND_MARKS = re.compile(r".[\u0300-\u036f]*", re.DOTALL)
_SENTENCE_END = re.compile(r"\.\s")
# Glued to what stands before it: TNFalpha, PKCalpha, NFkappaB.
_GLUED = re.compile(r"(?<=[A-Za-z])(alpha|beta|gamma|delta|epsilon|kappa(?=b?$))", re.IGNORECASE)


def composed(text: str) -> tuple[str, Sequence[int]]:
    """The text with each letter and its marks as one character, where Unicode has that one (NFC).

    With the offset in the original of each character, and of the end.
    """
    if unicodedata.is_normalized("NFC", text):
        return text, range(len(text) + 1)
    parts: list[str] = []
    origin = array("l")
    for match in _LETTER_AND_MARKS.finditer(text):
        parts.append(unicodedata.normalize("NFC", match[0]))
        origin.extend(min(match.start() + place, match.end() - 1) for place in range(len(parts[-1])))
    origin.append(len(text))
    return "".join(parts), origin


def caseless(name: str) -> str:
    """A name that is equal for its spellings in any case, and with composed characters or not."""
    return unicodedata.normalize("NFC", name).casefold()


@dataclass(frozen=True, slots=True)
class Folded:
    """Folded text. Character i of `text` came from starts[i] to ends[i] of the original; `first` and `last` hold, for
    each character, 1 where it begins or ends a run of letters or of digits there."""

    text: str
    starts: "array[int]"
    ends: "array[int]"
    first: bytearray
    last: bytearray

    def origin(self, start: int, end: int) -> tuple[int, int] | None:
        """The offsets in the original of a half-open span here; None where it cuts a word in two."""
        if not self.first[start] or not self.last[end - 1]:
            return None
        return self.starts[start], self.ends[end - 1]


def fold(text: str) -> Folded:
    """The text in lower case, without blanks and dashes within names; Greek as Latin letters, Roman numbers as digits.

    Two digit runs stay apart by a blank (L3.6 is not L36); what cannot stand within a name becomes a bar.
    """
    text, origin = composed(text)
    parts: list[str] = []
    starts, ends = array("l"), array("l")
    first, last = bytearray(), bytearray()
    before_end = 0
    before_digit = False
    before_letters = ""
    for match in _RUN.finditer(text):
        start, end = match.span()
        run = match[0]
        is_digit = run.isdigit()
        if parts:
            gap = text[before_end:start]
            joined = _JOINING.fullmatch(gap) and not _SENTENCE_END.match(gap)
            between = (" " if before_digit and is_digit else "") if joined else BREAK
            if between:
                parts.append(between)
                starts.append(origin[before_end])
                ends.append(origin[start])
                first.append(0)
                last.append(0)
        spelled = _spelled(run, before_letters)
        parts.append(spelled)
        if len(spelled) == end - start:
            starts.extend(origin[start:end])
            ends.extend(origin[start + 1 : end + 1])
        else:
            starts.extend([origin[start]] * len(spelled))
            ends.extend([origin[end]] * len(spelled))
        first.extend(b"\1" + bytes(len(spelled) - 1))
        last.extend(bytes(len(spelled) - 1) + b"\1")
        before_end, before_digit = end, is_digit
        before_letters = "" if is_digit else run
    return Folded("".join(parts), starts, ends, first, last)


@lru_cache(maxsize=10_000)
def fold_name(name: str) -> str:
    """A name as `fold` leaves it."""
    return fold(name).text


def _spelled(run: str, before: str) -> str:
    if len(run) == 1 and (letter := LATIN.get(run.lower())):
        return letter
    if run in ROMAN and len(before) >= COUNTED:
        return ROMAN[run]
    lower = run.lower()
    if lower in WORDS:
        return WORDS[lower]
    if len(run) > 5:
        lower = _GLUED.sub(lambda match: WORDS[match[0].lower()], lower)
    return lower


def places(name: str, text: str, folded: Folded) -> Iterator[tuple[int, int]]:
    """Half-open offsets of a name in a text, as a whole word or its plural; `folded` is the text folded.

    Two words of a text are joined only where the name has a gap, too, or one of them is Greek: ASA is not "as a".
    """
    wanted, gaps = _wanted(name)
    if not wanted.strip(BREAK + " "):
        return
    start = folded.text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        for plural_end in (end, end + 1) if folded.text[end : end + 1] == "s" else (end,):
            span = folded.origin(start, plural_end)
            if span and not _glued_to_more(text, *span) and not _joins_words(folded, text, start, end, gaps):
                yield span
                break
        start = folded.text.find(wanted, start + 1)


@lru_cache(maxsize=10_000)
def _wanted(name: str) -> tuple[str, frozenset[int]]:
    """A name folded, and the places where its runs begin. One name is looked for in many texts."""
    folded = fold(name)
    return folded.text, frozenset(place for place, begins in enumerate(folded.first) if begins)


def _glued_to_more(text: str, start: int, end: int) -> bool:
    return text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()


def _joins_words(folded: Folded, text: str, start: int, end: int, gaps: frozenset[int]) -> bool:
    """Whether letters of the text are joined over a blank that the name does not have."""
    for place in range(start + 1, end):
        if not folded.first[place] or place - start in gaps or folded.text[place - 1] == BREAK:
            continue
        before, after = folded.ends[place - 1], folded.starts[place]
        if not text[before:after].isspace() or text[before - 1].isdigit() or text[after].isdigit():
            continue
        word = re.match(r"\w+", text[after:])
        if word and word[0].lower() not in WORDS and word[0].lower() not in LATIN:
            return True
    return False


_DASHES = rf"[{DASH}]"
_GREEK_AS_WRITTEN = "|".join(f"[{word[0].upper()}{word[0]}]{word[1:]}" for word in sorted(WORDS, key=len, reverse=True))
_ROMANS = "|".join(sorted(ROMAN, key=len, reverse=True))
# A short symbol and its Greek letter, with the number behind (TGF-β1, IL-1 beta, NF-kappaB, TNFalpha, IFN-g, p38α); a
# short word and its number (IL-6); a Roman number behind a word (caspase III, and I where it is no pronoun); a Greek
# letter that stands for itself.
_NAME = re.compile(
    rf"""\b(?=[^\W_]*[A-Z\d])(?P<symbol>[A-Za-z]{{1,5}}(?:{_DASHES}?\d{{1,4}})?
            (?:{_DASHES}?(?:[{_LETTERS}]|(?<=[A-Z\d{DASH}])(?:{_GREEK_AS_WRITTEN}))
             |(?<=[^\W_][A-Z\d]|[{DASH}]\d)[ ](?:[{_LETTERS}]|{_GREEK_AS_WRITTEN})
             |{_DASHES}[abgdek])
            (?:[{DASH} ]?\d{{1,2}}|[Bb])?)(?![^\W_])
        |\b(?P<numbered>[^\W\d_]{{1,5}}){_DASHES}(?P<number>\d\w*)
        |(?<=[^\W\d_]{{3}})[ {DASH}](?P<roman>(?!I\b)(?:{_ROMANS}))(?![^\W_])
        |(?:(?:(?<=[^\W\d_]{{7}})|(?<=[A-Z\d]{{2}}))[ ]|(?<=[^\W\d_]{{3}}){_DASHES})(?P<first>I)(?![^\W_])
        |(?P<greek>[{_LETTERS}])""",
    re.VERBOSE,
)
# Where one of these stands, a name may be written in several ways: looking only for these takes a tenth of the time.
_SIGN = re.compile(
    rf"[{_LETTERS}]|[{DASH}](?=\d|[abgdek](?:\d{{1,2}}|[Bb])?\b|[IV])|[ ](?=[IV])"
    rf"|(?<=[A-Z\d {DASH}])(?:{_GREEK_AS_WRITTEN})(?![ac-z])"
)
_SYMBOL_BEFORE = re.compile(rf"\b[A-Za-z]{{1,5}}(?:{_DASHES}?\d{{1,4}})?[{DASH} ]?\Z")
_LONGEST_BEFORE = 12  # characters of such a symbol
_SMALL_SYMBOL = re.compile(
    r"\b(?!(?:the|of|and|or|in|on|to|by|for|with|from|both|its|via|an)\b)[a-z]{2,5}"
    rf"(?=[{DASH} ]?(?:[{_LETTERS}]|{_GREEK_AS_WRITTEN})(?![ac-z])|-kb\b)"
)
_WORD_OR_NAME = re.compile(rf"{_NAME.pattern}|[^\W_{_LETTERS}]+", re.VERBOSE)


def alike(text: str) -> str:
    """The text with each name written one way: TGF-β1 and TGF-beta 1 as tgfb1, IL-6 as IL6, caspase III as caspase 3.

    Greek letters that stand for themselves are spelled: β-catenin becomes " beta -catenin".
    """
    text, _ = composed(text)
    parts: list[str] = []
    done = 0
    for sign in _SIGN.finditer(text):
        at = sign.start()
        if at < done:
            continue
        before = _SYMBOL_BEFORE.search(text, max(done, at - _LONGEST_BEFORE), at)
        match = (_NAME.match(text, before.start()) if before else None) or _NAME.match(text, at)
        if match:
            parts += [text[done : match.start()], _written(match)]
            done = match.end()
    return "".join([*parts, text[done:]]) if parts else text


def alike_as_asked(text: str) -> str:
    """A question as `alike` writes it, where people type symbols in small letters, too: tnf alpha, nf-kb."""
    return alike(_SMALL_SYMBOL.sub(lambda match: match[0].upper(), text))


def words_of(text: str) -> Iterator[tuple[str, int, int]]:
    """The words and names of a text as `alike` writes them, each with its half-open offsets in the text."""
    text, origin = composed(text)
    for match in _WORD_OR_NAME.finditer(text):
        start, end = match.span(match.lastgroup if match.lastgroup in ("roman", "first") else 0)
        yield _written(match).strip(), origin[start], origin[end]


def _written(match: re.Match[str]) -> str:
    kind, whole = match.lastgroup, match[0]
    if kind is None:
        return whole
    if kind == "symbol":
        return fold_name(whole).replace(" ", "")
    if kind == "number":
        return match["numbered"] + match["number"]
    if kind in ("roman", "first"):
        return whole[0] + ROMAN[match[kind]]
    return f" {SPELLED[whole.lower()]} "


# Behind a symbol these Latin letters may stand for Greek ones.
_GREEK_OF = {latin: letter for letter, (_, latin) in GREEK.items() if latin in "abgdek"}
_GREEK_AT_END = re.compile(r"(?P<stem>[A-Za-z]{2,4}?)(?P<greek>[ABGDEabgde]|[Kk](?=[Bb]?$))(?P<behind>(?<=[Kk])[Bb])?")


def run_pattern(run: str, before: str, gap: str, *, latin: bool) -> str:
    """A regular expression for one run of letters or digits of a name, in all its spellings.

    `before` is the run in front of it, `gap` what may stand between two runs. With `latin`, a Greek letter may be
    written as the Latin letter that stands for it: TNFa.
    """
    lower = run.lower()
    letter = next((letter for letter, (name, _) in GREEK.items() if lower in (letter, name)), None)
    if letter is not None and (len(run) == 1 or lower in WORDS):
        name, short = GREEK[letter]
        return f"(?:{letter}|{name}{f'|{short}' if latin else ''})"
    if len(before) >= COUNTED and before.isalpha() and (run in ROMAN or run in DIGITS):
        digit = ROMAN.get(run, run)
        return f"(?:{digit}|(?-i:{DIGITS[digit]})(?![A-Za-z]))"
    written = re.escape(run)
    if len(run) == 1 and before.isdigit() and (letter := _GREEK_OF.get(lower)):  # IL1B is also IL-1β
        return f"(?:{written}|{letter}|(?i:{GREEK[letter][0]}))"
    if match := _GREEK_AT_END.fullmatch(run):  # TNFA is also TNF-α, NFKB also NF-κB
        letter = _GREEK_OF[match["greek"].lower()]
        stem, behind = re.escape(match["stem"]), match["behind"] or ""
        return f"(?:{written}|{stem}{gap}{{0,2}}(?:{letter}|(?i:{GREEK[letter][0]})){behind})"
    return written
