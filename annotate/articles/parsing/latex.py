"""LaTeX to text. Conversion reads no file: pylatexenc ignores \\input unless a folder is set."""

import logging
import re
from functools import cache, lru_cache

from pylatexenc.latex2text import LatexNodes2Text

from annotate.articles.parsing.limits import LATEX_CHARACTERS, LATEX_FORMULAS

_DOCUMENT = re.compile(r"\\begin\{document\}(.*?)(?:\\end\{document\}|\Z)", re.DOTALL)
_FRAGMENT = re.compile(r"\$\$([^$]{1,2000})\$\$|\$([^$]{1,2000})\$")
_COMMAND = re.compile(r"\\[A-Za-z]+")
# pylatexenc drops the space between a command and the sign after it
_SPACED_SIGN = re.compile(
    r"(?<=[A-Za-z]) +(?=\\(?:approx|cdot|equiv|geq?|gg|in|leq?|ll|neq?|pm|propto|rightarrow|sim|simeq|times|to)\b)"
)
_MARKUP = re.compile(r"\\[a-zA-Z]+\s*|[{}\\$]")
_DOUBLED = re.compile(r"\\{2,}(?=[A-Za-z])")  # as some programs write each command
_NO_BRACES = str.maketrans("", "", "{}")
# In a text they are meant as they stand, though LaTeX reads them otherwise.
_PLAIN_SIGN = re.compile(r"(?<!\\)[%&#]")
_UNKNOWN = {r"\textless": "<", r"\textgreater": ">"}  # to pylatexenc
_DEEPEST = 40  # braces within braces; pylatexenc recurses into them


def latex_to_text(latex: str) -> str:
    """Returns a formula as text (`\\alpha` as α); as it came if it is too long, too deep or broken.

    Of a whole LaTeX document, as some publishers store each formula, only the body counts.
    """
    found = _DOCUMENT.search(latex)
    body = (found[1] if found else latex).strip().replace("$$", "").strip("$")
    if len(body) > LATEX_CHARACTERS or _depth(body) > _DEEPEST:
        return body
    try:
        text = (
            _converter("based-on-source").latex_to_text(_SPACED_SIGN.sub(r"\\ ", body.replace("\\degree", "°"))).strip()
        )
    except (ValueError, IndexError, KeyError, AttributeError, RecursionError):
        return body
    failed = not text or ("%s" in text and "%s" not in body)  # pylatexenc's unfilled templates: an argument is missing
    return body if failed else text


def latex_words(text: str) -> str:
    """Returns a text that LaTeX sets, such as a title in BibTeX, as plain words with one space between them. Accents,
    letters and formulas become characters; where the text is too long, too deep or broken, its commands go."""
    text = _DOUBLED.sub(r"\\", text.replace("~", " "))
    if len(text) > LATEX_CHARACTERS or _depth(text) > _DEEPEST:
        return " ".join(_MARKUP.sub("", text).split())
    for command, sign in _UNKNOWN.items():
        text = text.replace(command, sign)
    words, open_words = [], ""
    for word in text.split():
        open_words += f" {word}" if open_words else word
        if open_words.count("{") <= open_words.count("}") and open_words.count("$") % 2 == 0:
            words.append(_words(open_words))
            open_words = ""
    return " ".join(filter(None, [*words, _words(open_words)]))


@lru_cache(maxsize=1_000)  # bounded: names in braces come again and again, and pylatexenc takes half a millisecond
def _words(latex: str) -> str:
    """A few words as text."""
    if "\\" not in latex and "$" not in latex:
        return latex.translate(_NO_BRACES)
    try:
        found = _converter("macros").latex_to_text(_PLAIN_SIGN.sub(r"\\\g<0>", latex))
    except (ValueError, IndexError, KeyError, AttributeError, RecursionError):
        found = _MARKUP.sub("", latex)
    return " ".join(found.split())


def replace_fragments(text: str) -> str:
    """Returns text with `$..$` turned into text where it holds a LaTeX command; prices stay as they are."""
    if "$" not in text or "\\" not in text or text.count("$") > 2 * LATEX_FORMULAS:
        return text

    def as_text(found: re.Match[str]) -> str:
        latex = found[1] or found[2]
        return latex_to_text(latex) if _COMMAND.search(latex) else found[0]

    return _FRAGMENT.sub(as_text, text)


def _depth(latex: str) -> int:
    depth = deepest = 0
    for character in latex:
        depth += (character == "{") - (character == "}")
        deepest = max(deepest, depth)
    return max(deepest, latex.count("\\begin"), latex.count("\\left"))


@cache
def _converter(spaces: str) -> LatexNodes2Text:
    """`spaces`: "macros" keeps those between words."""
    logging.getLogger("pylatexenc").setLevel(logging.ERROR)  # broken formulas are common and harmless
    return LatexNodes2Text(math_mode="text", keep_comments=False, strict_latex_spaces=spaces)
