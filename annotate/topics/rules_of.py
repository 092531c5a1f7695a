"""From the form of a topic to the rules that the rankings take; what cannot be is a problem with its field."""

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from typing import Any

import regex

from annotate.topics.schema import (
    EXAMPLES_WEIGHT,
    FEWEST_EXAMPLES,
    MORE_FACETS,
    CueEntry,
    KindEntry,
    TopicFile,
)
from model.active_learning.features import BUILT_IN_GROUPS
from model.names import LEFT, RIGHT
from model.proposing.bounded import Bounded, Place, Wording
from model.proposing.query import PLACE
from model.proposing.rules import BLANK, Choice, CosineWeights, Cue, Examples, Kind, Naming, Rules

Problem = tuple[str, str]  # the field, as in cues.2.pattern counted from 1, and the reason
Written = tuple[str, str, int]  # the field, the pattern with its pieces put in, and its flags
_PIECE = re.compile(r"\(\?&([a-z_]+)\)")
MAX_PATTERN = 20_000  # characters with all pieces put in
DEEPEST = 10  # pieces within pieces
TAKEN = BUILT_IN_GROUPS | set(BLANK.labels.values())  # names that are not a cue's


class _Patterns:
    """Makes patterns out of texts with pieces, and keeps them and what was wrong with them."""

    def __init__(
        self, pieces: dict[str, str], rules: str, known: Container[str] | None, left_out: Container[str]
    ) -> None:
        self.pieces, self.problems, self.written = pieces, list[Problem](), list[Written]()
        self.left_out = left_out
        self._rules, self._known = rules, known

    def place(self, field: str, texts: Iterable[str]) -> Place | None:
        """Where the texts stand; None where Keyline ships all of them, so that no search needs a bound."""
        known = self._known
        return None if known is None or all(text in known for text in texts) else Place(self._rules, field)

    def text(self, field: str, written: str) -> str:
        """The text with all pieces put in; "" where that cannot be."""
        found = written
        for _ in range(DEEPEST):
            unknown = [name for name in _PIECE.findall(found) if name not in self.pieces]
            if unknown:
                self.problems.append((field, f"there is no piece {unknown[0]}; there are {_listed(self.pieces)}"))
                return ""
            if not _PIECE.search(found):
                return found
            found = _PIECE.sub(lambda match: self.pieces[match[1]], found)
            if len(found) > MAX_PATTERN:
                self.problems.append((field, f"longer than {MAX_PATTERN:,} characters with its pieces"))
                return ""
        self.problems.append((field, f"its pieces stand in each other more than {DEEPEST} deep"))
        return ""

    def compiled(self, field: str, written: str | None, flags: int = 0) -> Wording | None:
        """The pattern; None where nothing is written, or nothing that can be one."""
        text = self.text(field, written) if written else ""
        if not text:
            return None
        try:
            found = re.compile(text, flags)
            place = self.place(field, [text])
            wording = Bounded(text, flags, place) if place else found
        except (re.error, regex.error, RecursionError, OverflowError) as error:
            self.problems.append((field, f"no regular expression: {error}"))
            return None
        if found.search("") is not None:
            self.problems.append((field, "it is found in an empty text, so it would be found everywhere"))
        self.written.append((field, text, flags))
        return None if field in self.left_out else wording


def rules_of(
    topic: TopicFile, name: str, known: Container[str] | None = None, left_out: Container[str] = ()
) -> tuple[Rules, list[Written], list[Problem]]:
    """The rules, under this name, their patterns, and what is wrong with the topic; the rules are to be used where
    nothing is. `known` are patterns that Keyline brings, None where all are: all others get a bound of work.
    `left_out` are fields whose patterns are not to be searched."""
    patterns = _Patterns(topic.pieces, name, known, left_out)
    kinds = tuple(_kind(kind, f"kinds.{number}", patterns) for number, kind in enumerate(topic.kinds, 1))
    cues = tuple(_cue(cue, f"cues.{number}", patterns) for number, cue in enumerate(topic.cues, 1))
    problems = [*patterns.problems, *_problems_of_examples(topic), *_problems_of_kinds(topic)]
    problems += [*_problems_of_cues(topic), *_problems_of_queries(topic)]
    queries = dict(topic.queries.generic)
    rules = Rules(
        name=name,
        kinds=kinds,
        cues=cues,
        aside=topic.aside,
        cosine=CosineWeights(**topic.cosine.model_dump()),
        shared_words=shared_words_of(topic),
        examples=examples_of(topic),
        common=common_of(topic),
        article_query=topic.queries.article,
        query_each=topic.queries.each,
        queries=queries,
        best_query=topic.queries.best or next(iter(queries)),
        ranking=topic.ranking,
    )
    return rules, patterns.written, problems


def shared_words_of(topic: TopicFile) -> float:
    """Points for words shared with the queries of names: as the topic says, else as much as its cosine where no cue was
    written. Without cues both had an ARP of .353 on trials and .631 on gene editing, the cosine .254 and .440."""
    return topic.shared_words if topic.shared_words is not None else 0.0 if topic.cues else topic.cosine.named


def examples_of(topic: TopicFile) -> Examples:
    """The examples with what they weigh."""
    given, weight = topic.examples, topic.examples.weight
    if weight is None:
        enough = min(len(given.accepted), len(given.rejected)) >= FEWEST_EXAMPLES
        weight = EXAMPLES_WEIGHT if enough and not topic.cues else 0.0
    accepted, rejected = (tuple(one.sentence for one in part) for part in (given.accepted, given.rejected))
    return Examples(accepted, rejected, weight)


def common_of(topic: TopicFile) -> float:
    """Points for likeness to key sentences of other topics: as the topic says, else twice its cosine where neither cues
    nor examples say what counts (docs/measurements/ranking.md)."""
    if topic.common is not None:
        return topic.common
    return 0.0 if topic.cues or examples_of(topic).weight else 2 * topic.cosine.generic


def _kind(kind: KindEntry, field: str, patterns: _Patterns) -> Kind:
    likely, mentions = kind.likely, kind.mentions
    never_like = [
        patterns.compiled(f"{field}.likely.never_like.{number}", text)
        for number, text in enumerate(likely.never_like if likely else [], 1)
    ]
    parts = {
        name: found
        for name, text in (mentions.parts if mentions else {}).items()
        if (found := patterns.compiled(f"{field}.mentions.parts.{name}", text))
    }
    return Kind(
        key=kind.key,
        naming=None if kind.choices else _naming(kind, f"{field}.names", patterns),
        choices=tuple(
            Choice(choice.key, choice.word, patterns.compiled(f"{field}.choices.{number}.pattern", choice.pattern))
            for number, choice in enumerate(kind.choices, 1)
        ),
        mentions=patterns.compiled(f"{field}.mentions.pattern", mentions.pattern if mentions else None),
        parts=parts,
        likely=patterns.compiled(f"{field}.likely.pattern", likely.pattern if likely else None),
        never=frozenset(likely.never.upper().split() if likely else ()),
        never_like=tuple(pattern for pattern in never_like if pattern),
        guess_near=likely.guess_beside if likely else "",
        guess_most=likely.guess_at_most if likely else 1,
        query_characters=kind.query_characters,
    )


def _naming(kind: KindEntry, field: str, patterns: _Patterns) -> Naming:
    names = kind.names
    if names is None:
        return Naming()
    tried: list[str] = []

    def checked(name: str, text: str) -> str:
        patterns_text = patterns.text(f"{field}.{name}", text)
        try:
            found = re.compile(f"x(?:{patterns_text})")  # it will stand within another pattern
        except (re.error, RecursionError, OverflowError) as error:
            patterns.problems.append((f"{field}.{name}", f"no regular expression: {error}"))
            return ""
        if found.groups:
            patterns.problems.append((f"{field}.{name}", "groups are written (?:...) here"))
            return ""
        if patterns_text:
            within_another = f"(?:{patterns_text}){RIGHT}"
            tried.append(within_another)
            patterns.written.append((f"{field}.{name}", within_another, 0))
        return patterns_text

    texts = ("before", "behind", "inside", "title_before", "heads", "own_heads", "origins", "own_before")
    texts_of_naming: dict[str, Any] = {name: checked(name, getattr(names, name)) for name in texts}
    given = Naming(
        style=names.style,
        behind_is=names.behind_is,
        words=tuple(checked(f"words.{number}", text) for number, text in enumerate(names.words, 1)),
        **texts_of_naming,
    )
    if field in patterns.left_out:
        return Naming(style=names.style)
    return replace(given, place=patterns.place(field, tried))


def _cue(cue: CueEntry, field: str, patterns: _Patterns) -> Cue:
    alike: dict[tuple[str, str], list[str]] = {}
    for word in cue.words:
        ends = _edge(word.strip()[:1], LEFT), _edge(word.strip()[-1:], RIGHT)
        alike.setdefault(ends, []).append(word_pattern(word))
    words = [f"{left}(?:{'|'.join(own)}){right}" for (left, right), own in alike.items()]
    together = "|".join(filter(None, (*words, cue.pattern or "")))
    pattern = patterns.compiled(f"{field}.{'pattern' if cue.pattern else 'words'}", together, re.I)
    return Cue(pattern=pattern, **cue.model_dump(exclude={"words", "pattern"}))


def _edge(character: str, edge: str) -> str:
    """What stands at an end of a word: no letter or digit follows a letter, but "%" may stand behind "12"."""
    return edge if character.isalnum() or character == "*" else ""


def word_pattern(word: str) -> str:
    """A word or phrase as people write it, as a regular expression: a star is any ending, a blank any gap."""
    return r"\s+".join(r"\w*".join(map(re.escape, part.split("*"))) for part in word.split())


def _problems_of_examples(topic: TopicFile) -> Iterator[Problem]:
    examples = examples_of(topic)
    if not examples.weight:
        return
    if not (examples.accepted and examples.rejected):
        yield "examples.weight", "needs sentences that count and sentences that do not"
    for number, sentence in enumerate(examples.rejected, 1):
        if sentence in examples.accepted:
            yield f"examples.rejected.{number}", "stands among the accepted sentences, too"


def _problems_of_kinds(topic: TopicFile) -> Iterator[Problem]:
    keys = [kind.key for kind in topic.kinds]
    for number, kind in enumerate(topic.kinds, 1):
        field = f"kinds.{number}"
        before = topic.kinds[: number - 1]
        if kind.key in (one.key for one in before):
            yield f"{field}.key", f"{kind.key} is the key of two kinds"
        if kind.stands_in and kind.stands_in in (one.stands_in for one in before):
            yield f"{field}.stands_in", f"two kinds are stored in {kind.stands_in}; each needs a column of its own"
        for name, given in (
            ("names.behind_is", kind.names.behind_is if kind.names else ""),
            ("likely.guess_beside", kind.likely.guess_beside if kind.likely else ""),
        ):
            if given and given not in keys:
                yield f"{field}.{name}", _no_kind(given, keys)
        if kind.names and kind.names.behind and not kind.names.behind_is:
            yield f"{field}.names.behind_is", "names the kind that `behind` is a mention of"
    for number, key in enumerate(topic.facets, 1):
        if key not in (*keys, *MORE_FACETS):
            yield f"facets.{number}", _no_kind(key, (*keys, *MORE_FACETS))


def _problems_of_cues(topic: TopicFile) -> Iterator[Problem]:
    kinds = {kind.key: kind for kind in topic.kinds}
    for number, cue in enumerate(topic.cues, 1):
        field = f"cues.{number}"
        wording = bool(cue.words or cue.pattern)
        if wording + bool(cue.kind) + bool(cue.section) != 1:
            yield field, f"{cue.name}: needs words or a pattern, or else a kind, or else a section"
        for name in ("beside", "kind", "near"):
            if (given := getattr(cue, name)) and given not in kinds:
                yield f"{field}.{name}", _no_kind(given, kinds)
        if cue.kind in kinds and cue.part:
            mentions = kinds[cue.kind].mentions
            parts = mentions.parts if mentions else {}
            if cue.part not in parts:
                yield f"{field}.part", f"{cue.kind} has no part {cue.part}; it has {_listed(parts)}"
        if cue.name in (one.name for one in topic.cues[: number - 1]):
            yield f"{field}.name", f"{cue.name} is the name of two cues"
        if cue.name.casefold() in TAKEN:
            yield f"{field}.name", f"{cue.name} is what something else is called where a proposal is explained"


def _problems_of_queries(topic: TopicFile) -> Iterator[Problem]:
    kinds = [kind.key for kind in topic.kinds]
    template = topic.queries.article
    for match in PLACE.finditer(template):
        if match["kind"] not in kinds:
            yield "queries.article", _no_kind(match["kind"], kinds)
    rest = PLACE.sub("", template)
    if "{" in rest or "}" in rest:
        yield "queries.article", "places are written {kind} or {kind|what stands there without}"
    brackets = "".join(letter for letter in rest if letter in "[]")
    if brackets != "[]" * (len(brackets) // 2):
        yield "queries.article", "what may be left out is written [so], once and not within another"
    each, named = topic.queries.each, [kind.key for kind in topic.kinds if not kind.choices]
    if each and each not in named:
        yield "queries.each", f"{each} is no kind of names; there are {_listed(named)}"
    elif each and each not in (match["kind"] for match in PLACE.finditer(template)):
        yield "queries.each", f"{{{each}}} does not stand in queries.article"
    best = topic.queries.best
    if best and best not in topic.queries.generic:
        yield "queries.best", f"{best!r} is none of {_listed(topic.queries.generic)}"


def _no_kind(given: str, kinds: Iterable[str]) -> str:
    return f"there is no kind {given}; there are {_listed(kinds)}"


def _listed(names: Iterable[object]) -> str:
    return ", ".join(map(str, names)) or "none"
