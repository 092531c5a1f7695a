"""A topic whose patterns were tried on awkward texts and on the project's own: one that searches too long is refused
before it is used."""

import time
from collections.abc import Callable, Iterable
from functools import lru_cache

import db.articles
import db.proposing.proposals
from annotate.project.home import read
from annotate.topics.awkward_texts import awkward_texts
from annotate.topics.file import BadTopic, Topic, read_topic, shipped_patterns
from annotate.topics.rules_of import Problem, Written
from model.proposing.bounded import Bounded, SlowPattern

ALL_SECONDS = 2.0  # of the processor, after which no further long text is tried
SAMPLED_ARTICLES, SAMPLED_SENTENCES = 5, 500
REASON = "may search for minutes: a part that repeats stands within another that repeats, as in (a+)+; write it simpler"


def tried_topic(text: str, source: str = "topic", samples: tuple[str, ...] = ()) -> Topic:
    """The topic of a text that people bring. Raises BadTopic as `read_topic` does, and where a pattern searches too
    long, in an awkward text or in one of the samples."""
    topic = read_topic(text, source)
    own = tuple(written for written in topic.patterns if written[1] not in shipped_patterns())
    if problem := slow_pattern(own, samples):
        raise BadTopic(source, [problem])
    return topic


def own_sentences() -> tuple[str, ...]:
    """Some sentences of the project, on which patterns are tried; none where it has none yet."""
    with read() as session:
        article_ids = db.proposing.proposals.articles_after(session, 0, limit=SAMPLED_ARTICLES)
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
