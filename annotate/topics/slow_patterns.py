"""A topic whose patterns were tried on awkward texts: one that would search for ever is refused before it is used."""

import json
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

from annotate.topics import pattern_trial
from annotate.topics.file import BadTopic, Topic, read_topic
from annotate.topics.rules_of import Problem, Written

# The trial bounds itself by the processor's time; this ends one that the machine does not let run.
HANGS_SECONDS = 120
NOT_TRIED = "or a pattern behind it could not be tried: the machine is too busy, or the pattern is too large; try again"
REASON = "may search for minutes: a part that repeats stands within another that repeats, as in (a+)+; write it simpler"


def tried_topic(text: str, source: str = "topic") -> Topic:
    """The topic of a text that people bring. Raises BadTopic as `read_topic` does, and where a pattern is too slow."""
    topic = read_topic(text, source)
    try:
        problem = slow_pattern(topic.patterns)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        problem = topic.patterns[0][0], NOT_TRIED
    if problem:
        raise BadTopic(source, [problem])
    return topic


@lru_cache(maxsize=64)
def slow_pattern(patterns: tuple[Written, ...]) -> Problem | None:
    """The first of the patterns that is too slow, with its field; None for none. In a process of its own.

    Raises TimeoutExpired and CalledProcessError where that process did not come to its end: nothing is known then, and
    nothing remembered.
    """
    if not patterns:
        return None
    asked = json.dumps([[text, flags] for _, text, flags in patterns])
    program = [sys.executable, "-I", "-S", str(Path(pattern_trial.__file__))]
    done = subprocess.run(
        program, input=asked, capture_output=True, text=True, check=True, timeout=HANGS_SECONDS, encoding="utf-8"
    )
    place = json.loads(done.stdout)
    return None if place is None else (patterns[place][0], REASON)
