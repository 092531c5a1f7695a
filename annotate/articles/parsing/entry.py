"""What reading a file yields: an article, or the reason why there is none."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

import regex

from annotate.articles.document import Article
from annotate.articles.parsing.limits import NAME_CHARACTERS, PATTERN_CHARACTERS, PATTERN_SECONDS

# Control characters, and those that reorder or hide the text around them: a file name can deceive with them
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
SEPARATOR = " › "


class UnusablePattern(ValueError):
    """Not a regular expression, or one that is too long, or that takes too long on some text."""


def compile_pattern(text: str) -> regex.Pattern[str]:
    """A regular expression from a person, for `Wanted`; case does not matter. Raises UnusablePattern."""
    if len(text) > PATTERN_CHARACTERS:
        raise UnusablePattern(f"a regular expression of more than {PATTERN_CHARACTERS:,} characters")
    try:
        return regex.compile(text, regex.IGNORECASE)
    except (regex.error, RecursionError) as error:
        raise UnusablePattern(f"{text[:100]!r} is no regular expression: {error}") from None


@dataclass(frozen=True, slots=True)
class ParsedEntry:
    """One article of a file, or one refusal: exactly one of `article` and `error` is set.

    `source` is a name to show (`file.zip › member.nxml`), never a path to open.
    """

    source: str
    article: Article | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which articles to return: a pattern searched in title + abstract, and a set of PMIDs.

    `left_out` is called for each article that is none of them.
    """

    match: regex.Pattern[str] | None = None
    pmids: frozenset[str] | None = None
    left_out: Callable[[], None] = lambda: None

    def has_match(self, text: str) -> bool:
        """Returns whether the pattern occurs in the text; without a pattern, always.

        Raises UnusablePattern where that takes longer than PATTERN_SECONDS, as `(a+)+b` can.
        """
        try:
            return self.match is None or self.match.search(text, timeout=PATTERN_SECONDS) is not None
        except TimeoutError:
            raise UnusablePattern(f"the regular expression took longer than {PATTERN_SECONDS:.0f} s") from None

    def takes(self, article: Article) -> bool:
        """Returns whether a parsed article is one of those asked for."""
        return self.takes_what_says(article.pmid, lambda: f"{article.title}\n{article.abstract}")

    def takes_what_says(self, pmid: str | None, text: Callable[[], str]) -> bool:
        """Whether the entry is wanted, by its PMID and, for a pattern, its `text`. Calls `left_out` if not."""
        has_pmid = self.pmids is None or pmid in self.pmids
        taken = has_pmid and (self.match is None or self.has_match(text()))
        if not taken:
            self.left_out()
        return taken


EVERY_ARTICLE = Wanted()


def show_name(name: str) -> str:
    """Returns a name safe to show: unprintable and reordering characters escaped, cut at 200 characters."""
    shown = _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", name)
    return shown if len(shown) <= NAME_CHARACTERS else shown[: NAME_CHARACTERS - 1] + "…"


def bare_name(source: str) -> str:
    """The name of the file itself, without its endings: to be a title where nothing else is known."""
    name = PurePosixPath(source.rpartition(SEPARATOR)[2]).name
    return re.sub(r"(?<=.)(?:\.[a-z]{2,8})?(?:\.gz)?$", "", name, flags=re.IGNORECASE)
