"""A topic whose patterns were tried on awkward texts and on the project's own: one that searches too long is refused
before it is used."""

import string
from functools import lru_cache

import db.articles
import db.proposing
from annotate.project.files.plain_yaml import BadYaml, demand_once
from annotate.project.home import read
from annotate.topics.file import BadTopic, Topic, read_topic, shipped_patterns
from annotate.topics.rules_of import Problem, Written
from model.proposing.bounded import Bounded, SlowPattern

SHORT, LONG = 40, 2000  # repeats where each doubles the work, and characters where it grows by the third power
_SHORT_OF = (*string.ascii_letters, *string.punctuation, "0", " ", "ab", "a ", "A ", "a1 ", "a, ")
_LONG_OF = ("a", "A", "0", " ", "a ", "a, ")
# A search for what a text lacks is over at once: most texts end in all that a pattern may wait for.
_ENDS = ("\0", "\0" + string.printable)
AWKWARD_TEXTS = (
    *(part * SHORT + end for part in _SHORT_OF for end in _ENDS),
    *(part * (LONG // len(part)) + _ENDS[-1] for part in _LONG_OF),
)
SAMPLED_ARTICLES, SAMPLED_SENTENCES = 5, 500
REASON = "may search for minutes: a part that repeats stands within another that repeats, as in (a+)+; write it simpler"


def tried_topic(text: str, source: str = "topic", samples: tuple[str, ...] = ()) -> Topic:
    """The topic of a text that people bring. Raises BadTopic as `read_topic` does, and where a field stands twice. The
    same holds for a pattern that searches too long in an awkward text or in one of the samples."""
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
    for field, written, flags in patterns:
        pattern = Bounded(written, flags)
        try:
            for text in (*AWKWARD_TEXTS, *samples):
                pattern.finditer(text)
        except SlowPattern:
            return field, REASON
    return None
