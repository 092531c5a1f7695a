"""Labels without annotators: a sentence that says one function's phrase in its main clause has that function.

The method: phrase-guided distant supervision (SciToricsBERT, SDP 2022). It asks that the phrase holds the root of the
dependency tree; here a stated rule stands for the parser: no word that opens a subordinate clause comes before it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product

from model.sentence_words import words_of

LEAST_WORDS = 3  # shorter phrases are too general
_ANY = r"(?:[^ ]+ ){1,4}"
_SUBORDINATE = frozenset(
    "which who whose whom although though because while whereas if when unless until since".split()
)


class Phrases:
    """The phrases of all functions as one pattern."""

    def __init__(self, phrases: Mapping[str, Sequence[str]], alternatives: Sequence[Sequence[str]] = ()) -> None:
        """phrases: by function; a star stands for one to four words. alternatives: words that replace each other."""
        self.functions = tuple(phrases)
        self._alternatives = {word: group for group in alternatives for word in group}
        self._patterns = []
        # By how a phrase may begin, the functions that have such a one: few patterns need to be tried.
        self._begins: dict[tuple[str, str], set[int]] = {}
        for number, function in enumerate(self.functions):
            long_enough = [p for p in phrases[function] if len(p.replace("*", " ").split()) >= LEAST_WORDS]
            joined = "|".join(sorted({self._pattern(phrase) for phrase in long_enough}))
            self._patterns.append(re.compile(f"(?<![^ ])(?:{joined})"))
            for begin in {begin for phrase in long_enough for begin in self._beginnings(phrase)}:
                self._begins.setdefault(begin, set()).add(number)

    def without_phrase(self, text: str) -> str:
        """The words of a sentence but for the phrase that tells its function; the sentence itself without one."""
        found = self.function_of(text)
        if found is None:
            return text
        words, (start, end) = words_of(text), found[1]
        return " ".join(words[:start] + words[end:])

    def _beginnings(self, phrase: str) -> Iterator[tuple[str, str]]:
        first, second = phrase.split()[:2]
        seconds = ("*",) if second == "*" else self._alternatives.get(second, (second,))
        yield from product(self._alternatives.get(first, (first,)), seconds)

    def _pattern(self, phrase: str) -> str:
        groups = ("|".join(self._alternatives.get(word, (word,))) for word in phrase.split())
        return "".join(_ANY if group == "*" else f"(?:{group}) " for group in groups)

    def function_of(self, text: str) -> tuple[int, tuple[int, int]] | None:
        """(place of the function in `functions`, words of the phrase as a half-open span); None without any, or where
        the sentence says phrases of two functions."""
        words = words_of(text)
        line = " ".join(words) + " "
        found: dict[int, tuple[int, int]] = {}
        pairs = [*pairwise(words), *((word, "*") for word in words)]
        for number in sorted({number for pair in pairs for number in self._begins.get(pair, ())}):
            matches = self._patterns[number].finditer(line)
            in_main_clause = (m for m in matches if not _SUBORDINATE.intersection(line[: m.start()].split()))
            if match := next(in_main_clause, None):
                first = line.count(" ", 0, match.start())
                found[number] = (first, first + match[0].count(" "))
        if len(found) != 1:
            return None
        return next(iter(found.items()))
