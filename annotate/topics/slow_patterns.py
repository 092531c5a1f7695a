"""A topic whose patterns were tried on awkward texts and on the project's own: one that searches too long is refused
before it is used."""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import product
from typing import Any

import db.articles
import db.proposing
from annotate.project.files.plain_yaml import BadYaml, demand_once
from annotate.project.home import read
from annotate.topics.file import BadTopic, Topic, read_topic, shipped_patterns
from annotate.topics.rules_of import Problem, Written
from model.proposing.bounded import Bounded, SlowPattern

SHORT, LONG = 40, 2000  # repeats where each doubles the work, and characters where it grows by the third power
_SAMPLES = 6  # texts that are tried for a part of a pattern
_MOST = 150  # awkward beginnings of one pattern
_MOST_LETTERS = 4  # of the pattern's own letters that end a repeat
_ENDS = ("\0", "Ж", "Q7")  # none is what a pattern waits for: no letter, one, and one of ASCII
_ANY = "a0A .-,_(é"
_CATEGORIES = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w", "NOT_DIGIT": r"\D", "NOT_SPACE": r"\S", "NOT_WORD": r"\W"}
_parse: Any = import_module("re._parser").parse  # private; seen in Python 3.11 to 3.13


def awkward_texts(pattern: str, flags: int = 0, *, long: bool = False) -> Iterator[str]:
    """Texts for a pattern. Some end in what it waits for, since a search that misses that is over at once."""
    repeats, wholes = repeats_of(pattern, flags)
    whole = min(wholes, key=len)
    ends = [*_ENDS, *(2 * letter for letter in dict.fromkeys(reversed(whole)))][: len(_ENDS) + _MOST_LETTERS]
    for before, body in repeats:
        text = before + body * (max(LONG // len(body), SHORT) if long else SHORT)
        yield from (text + end + rest for end in ends for rest in ("", whole[-LONG:]))


def repeats_of(pattern: str, flags: int = 0) -> tuple[list[tuple[str, str]], list[str]]:
    """(what leads to a repeat, what it repeats) in some ways for each, and some texts that fulfil the whole."""
    found: dict[tuple[str, str], None] = {}
    wholes = _samples(_parse(pattern, flags), "", found)
    return list(found)[:_MOST], wholes


def _samples(nodes: Any, before: str, found: dict[tuple[str, str], None]) -> list[str]:
    """Some texts that fulfil a sequence of nodes; fills `found` on the way."""
    texts = [""]
    for operation, argument in nodes:
        nexts = _of_node(str(operation), argument, before + texts[-1], found)
        texts = list(dict.fromkeys(a + b for a, b in product(texts, nexts)))[:_SAMPLES]
    return texts


def _of_node(operation: str, argument: Any, before: str, found: dict[tuple[str, str], None]) -> list[str]:
    if operation in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, most, body = argument
        bodies = [text for text in _samples(body, before, found) if text]
        if int(most) > 9:
            found.update(dict.fromkeys((before, text) for text in bodies))
        fewest = min(max(least, 1), 50)
        texts = [text * min(fewest, max(LONG // len(text), 1)) for text in bodies]
        return texts + ([""] if least == 0 else []) or [""]
    if operation == "BRANCH":
        return [text for branch in argument[1] for text in _samples(branch, before, found)][:_SAMPLES] or [""]
    if operation in ("SUBPATTERN", "ATOMIC_GROUP"):
        return _samples(argument[-1] if operation == "SUBPATTERN" else argument, before, found)
    if operation in ("ASSERT", "ASSERT_NOT"):
        _samples(argument[1], before, found)
        return [""]
    return _letters(operation, argument)


def _letters(operation: str, argument: Any) -> list[str]:
    if operation == "LITERAL":
        return [chr(argument)]
    if operation in ("ANY", "NOT_LITERAL"):
        return [letter for letter in _ANY if operation == "ANY" or ord(letter) != argument][:_SAMPLES]
    if operation == "IN":
        return _of_class(argument) or [""]
    return [""]  # beginnings, ends, and groups that are referred to


def _of_class(items: Sequence[tuple[Any, Any]]) -> list[str]:
    negated = str(items[0][0]) == "NEGATE"
    named = [chr(value) for kind, value in items if str(kind) == "LITERAL"]
    ends = [chr(end) for kind, value in items if str(kind) == "RANGE" for end in value]
    tried = dict.fromkeys([*_ANY] if negated else [*ends, *_ANY, *named])
    return [letter for letter in tried if any(_holds(item, letter) for item in items) != negated][:_SAMPLES]


def _holds(item: tuple[Any, Any], letter: str) -> bool:
    kind, value = str(item[0]), item[1]
    if kind == "RANGE":
        return bool(value[0] <= ord(letter) <= value[1])
    if kind == "CATEGORY":
        return re.match(_CATEGORIES[str(value).removeprefix("CATEGORY_")], letter) is not None
    return kind == "LITERAL" and bool(value == ord(letter))


ALL_SECONDS = 2.0  # of the processor, after which no further long text is tried
SAMPLED_ARTICLES, SAMPLED_SENTENCES = 5, 500
REASON = "may search for minutes: a part that repeats stands within another that repeats, as in (a+)+; write it simpler"


def tried_topic(text: str, source: str = "topic", samples: tuple[str, ...] = ()) -> Topic:
    """The topic of a text that people bring. Raises BadTopic as `read_topic` does, and where a field stands twice, or a
    pattern searches too long, in an awkward text or in one of the samples."""
    topic = read_topic(text, source)
    try:
        demand_once(text)
    except BadYaml as error:
        raise BadTopic(source, [("", str(error))]) from None
    own = tuple(written for written in topic.patterns if written[1] not in shipped_patterns())
    if problem := slow_pattern(own, samples):
        raise BadTopic(source, [problem])
    return topic


def own_sentences() -> tuple[str, ...]:
    """Some sentences of the project, on which patterns are tried; none where it has none yet."""
    with read() as session:
        article_ids = db.proposing.articles_after(session, 0, limit=SAMPLED_ARTICLES)
        found = db.articles.sentences(session, article_ids)
    return tuple(sentence.text for sentence in found[:SAMPLED_SENTENCES])


@lru_cache(maxsize=64)
def slow_pattern(patterns: tuple[Written, ...], samples: tuple[str, ...] = ()) -> Problem | None:
    """The first of the patterns that searches too long, with its field; None for none."""
    began = time.thread_time()
    short = _slow(patterns, lambda text, flags: (*awkward_texts(text, flags), *samples), lambda: False)
    # Short texts come first, for all patterns: they find at once what never ends.
    return short or _slow(
        patterns,
        lambda text, flags: awkward_texts(text, flags, long=True),
        lambda: time.thread_time() - began > ALL_SECONDS,
    )


def _slow(
    patterns: Iterable[Written], texts_for: Callable[[str, int], Iterable[str]], is_over: Callable[[], bool]
) -> Problem | None:
    for field, written, flags in patterns:
        pattern = Bounded(written, flags)
        try:
            for text in texts_for(written, flags):
                if is_over():
                    return None
                for _ in pattern.finditer(text):
                    pass
        except SlowPattern:
            return field, REASON
    return None
