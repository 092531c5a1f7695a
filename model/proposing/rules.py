"""What a topic tells the rankings: kinds of names, cues with their weights, and queries. Data, from a topic's file.

In: patterns and words. Out: frozen values that the functions of this package take. `BLANK` knows nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from model.proposing.bounded import Place, Wording

# The most cues of a topic: each is a column of the learned models, and those columns are the same for all topics.
CUES = 8
SHARED_WORDS = "shared words"  # likeness in words to the queries that an article's names make
EXAMPLES = "examples"  # likeness to the sentences that a topic names as examples
COMMON = "common"  # likeness to the key sentences of other topics
ASIDE = "aside"  # captions, notes, very short and very long sentences: known of every topic's articles
NEAR = 30  # characters between two mentions that belong together; 15 to 80 rank alike (docs/measurements/ranking.md)


class Style(StrEnum):
    """How names are written: short symbols, in which capitals tell, or phrases."""

    SYMBOL = "symbol"
    PHRASE = "phrase"


@dataclass(frozen=True, slots=True, eq=False)
class Naming:
    """How the names that people gave are looked for in text. All texts are regular expressions, and may be empty.

    before, behind: what may be glued to a name. `behind` is itself a mention of the kind `behind_is`; a name may begin
    within a word where `inside` follows it. `title_before`: what lets a short symbol in Title case count at the
    beginning of a sentence. Of phrases: `heads` may follow a name; `own_heads` are left off its end, and `origins` and
    the prefixes `own_before` off its beginning. `words` are other words for a name that ends in one of them. `place`:
    where it stands in its topic, if people wrote some of it, so that each search has a bound of work.
    """

    style: Style = Style.PHRASE
    before: str = ""
    behind: str = ""
    behind_is: str = ""
    inside: str = ""
    title_before: str = ""
    heads: str = ""
    own_heads: str = ""
    origins: str = ""
    own_before: str = ""
    words: tuple[str, ...] = ()
    place: Place | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One of the values of a kind that is chosen, not named: its word in queries, and the mentions that mean it."""

    key: str
    word: str
    pattern: Wording | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """A kind of names.

    naming: how given names are found, None where they are chosen from `choices`, the first of which is meant where none
    is given. mentions: the names found in every text, whether given or not; `parts` tells groups of those by how they
    begin. likely: what may be a name where none was given; not the words of `never`, in capitals, nor what begins like
    one of `never_like`. guess_near: the kind next to whose mentions names are guessed, at most `guess_most`.
    query_characters: the most that a query takes of its names.
    """

    key: str
    naming: Naming | None = None
    choices: tuple[Choice, ...] = ()
    mentions: Wording | None = None
    parts: Mapping[str, Wording] = field(default_factory=dict)
    likely: Wording | None = None
    never: frozenset[str] = frozenset()
    never_like: tuple[Wording, ...] = ()
    guess_near: str = ""
    guess_most: int = 3
    query_characters: int | None = None

    def part_of(self, mention: str) -> str:
        """The group of a mention, "" for none."""
        return next((name for name, pattern in self.parts.items() if pattern.match(mention)), "")


class Likely(StrEnum):
    """Where what may be a name counts half."""

    NEVER = "never"
    UNLABELLED = "unlabelled"  # in articles without given names
    ALWAYS = "always"


@dataclass(frozen=True, slots=True, eq=False)
class Cue:
    """One cue of the terms score: `weight` points where it fires, more or less where it says.

    There are four sorts. A wording is a `pattern`; with `beside` it must stand next to a mention of that kind. Mentions
    are of a `kind` and its `part`; with `fits` they count half where they mean another choice than the document's. A
    pair is a mention of `kind` within `within` characters of one of `near`. A `section` is all sentences in sections of
    this kind.
    """

    name: str
    weight: float
    pattern: Wording | None = None
    beside: str = ""
    kind: str = ""
    part: str = ""
    likely: Likely = Likely.NEVER
    fits: bool = False
    near: str = ""
    within: int = NEAR
    section: str = ""


@dataclass(frozen=True, slots=True)
class CosineWeights:
    """Points of the hybrid for one standard deviation of cosine: to an article's own query, by a fine-tuned encoder,
    and to a query that knows nothing of the article."""

    named: float = 0.25
    fine_tuned: float = 1.0
    generic: float = 0.05


@dataclass(frozen=True, slots=True)
class Examples:
    """Sentences that count and sentences that do not; `weight`: points of the hybrid for one of the log odds by what is
    learnt from them. At weight 0 nothing is."""

    accepted: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    weight: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """All of a topic that the rankings see. `name` is its hash, or any text that tells it from others.

    article_query: a template, empty for none. query_each: the kind of which each name makes a query by itself, empty
    where all names stand in one. queries: those that know nothing of the article, by name, at least one; `best_query`
    is the name of the one that is asked. shared_words: points for one standard deviation of likeness in words to the
    queries that an article's names make. common: points for one of likeness to the key sentences of
    other topics. ranking: the one of articles before anything was learnt.
    """

    name: str = "blank"
    kinds: tuple[Kind, ...] = ()
    cues: tuple[Cue, ...] = ()
    aside: float = 0.0
    cosine: CosineWeights = CosineWeights()
    shared_words: float = 0.0
    examples: Examples = Examples()
    common: float = 0.0
    article_query: str = ""
    query_each: str = ""
    queries: Mapping[str, str] = field(default_factory=lambda: {"query 1": "The main finding."})
    best_query: str = "query 1"
    ranking: str = "hybrid"

    def kind(self, key: str) -> Kind | None:
        """The kind of this key."""
        return next((kind for kind in self.kinds if kind.key == key), None)

    @property
    def weights(self) -> dict[str, float]:
        """The weights of the parts of the terms score by the names of the columns: CUES cues, then what is aside."""
        given = [cue.weight for cue in self.cues] + [0.0] * (CUES - len(self.cues))
        return {**dict(zip(CUE_COLUMNS, given, strict=True)), ASIDE: self.aside}

    @property
    def labels(self) -> dict[str, str]:
        """The words for the columns of cues where a proposal is explained."""
        given = [cue.name for cue in self.cues] + ["nothing"] * (CUES - len(self.cues))
        return {**dict(zip(CUE_COLUMNS, given, strict=True)), ASIDE: "caption, note or table"}


CUE_COLUMNS = tuple(f"cue {number}" for number in range(1, CUES + 1))
BLANK = Rules()
