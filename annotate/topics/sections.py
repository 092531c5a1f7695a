"""A topic's text part by part, so that one can be changed and all else, comments too, stays as people wrote it."""

import json
import re

import yaml

from annotate.project.files.plain_yaml import BadYaml, read_yaml
from annotate.topics.file import BadTopic, read_topic
from annotate.topics.slow_patterns import own_sentences, tried_topic

# In the order of the page; what is in none of them stands in the last one.
PLAIN = ("name", "about", "guideline")
WRITTEN = ("kinds", "cues", "queries")
REST = "rest"
PARTS = (*PLAIN, *WRITTEN, REST)
_KEY = re.compile(r"([a-z_]+):")


def parts_of_text(text: str) -> dict[str, str]:
    """The parts by name: name, about and guideline as they read, the others as they are written, "" for none.

    Raises BadTopic for a text that is no topic.
    """
    form = read_topic(text).file
    found = dict.fromkeys(PARTS, "")
    for key, chunk in _chunks(_in_blocks(text)):
        if key not in PLAIN:
            found[key if key in WRITTEN else REST] += chunk
    return found | {"name": form.name, "about": form.about, "guideline": form.guideline}


def text_with(text: str, changed: dict[str, str]) -> str:
    """The text with some parts in place of its own. What they hold is checked where the text is read."""
    whole = _in_blocks(text)
    chunks = _chunks(whole if whole.endswith("\n") or not changed else whole + "\n")
    for name, value in changed.items():
        keys = {key for key, _ in chunks if _part(key) == name}
        chunk = _plain(name, value) if name in PLAIN else value.rstrip("\n") + "\n" if value.strip() else ""
        place = next((number for number, (key, _) in enumerate(chunks) if key in keys), len(chunks))
        chunks = [(key, own) for key, own in chunks if key not in keys]
        chunks.insert(min(place, len(chunks)), (name, chunk))
    return "".join(chunk for _, chunk in chunks)


def problems_by_part(text: str, source: str = "topic") -> dict[str, list[str]]:
    """The problems of a text, by the part in which they stand; empty without any."""
    try:
        tried_topic(text, source, own_sentences())
    except BadTopic as error:
        found: dict[str, list[str]] = {}
        for field, reason in error.problems:
            part = _part(field.partition(".")[0]) if field else REST
            found.setdefault(part, []).append(f"{field}: {reason}" if field else reason)
        return found
    return {}


def _part(key: str) -> str:
    return key if key in PARTS else REST


def _in_blocks(text: str) -> str:
    """The text where each top-level field begins a line, else the same topic written so, without its comments."""
    try:
        fields = read_yaml(text)
    except BadYaml:
        return text
    if not isinstance(fields, dict) or [key for key, _ in _chunks(text)] == [*fields]:
        return text
    return str(yaml.safe_dump(fields, sort_keys=False, allow_unicode=True, width=10**6))


def _chunks(text: str) -> list[tuple[str, str]]:
    """(key, lines) of each top-level field; comments right above a field, and those that begin the text, are its."""
    chunks: list[tuple[str, str]] = []
    waiting = ""
    for line in text.splitlines(keepends=True):
        if match := _KEY.match(line):
            chunks.append((match[1], waiting + line))
            waiting = ""
        elif line.startswith("#") or not chunks or (waiting and not line.strip()):
            waiting += line
        else:
            key, before = chunks[-1]
            chunks[-1] = key, before + waiting + line
            waiting = ""
    if chunks and waiting:
        chunks[-1] = chunks[-1][0], chunks[-1][1] + waiting
    return chunks


def _plain(name: str, value: str) -> str:
    if name != "guideline":
        return f"{name}: {json.dumps(' '.join(value.split()), ensure_ascii=False)}\n" if value.strip() else ""
    lines = [line.rstrip() for line in value.strip().splitlines()]
    return "guideline: |\n" + "".join(f"  {line}\n" if line else "\n" for line in lines) + "\n"
