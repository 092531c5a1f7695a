"""The form of a topic's file: what may stand in it, field by field."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from model.proposing.rules import CUES, Likely, Style

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)]
Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]
Sentence = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
Key = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z_]{0,29}$")]


# A regular expression; a list is one that was written over several lines.
Pattern = Annotated[
    str,
    BeforeValidator(
        lambda given: (
            "".join(given) if isinstance(given, list) and all(isinstance(each, str) for each in given) else given
        )
    ),
    StringConstraints(min_length=1, max_length=4000),
]


class Slot(StrEnum):
    """The three columns that earlier releases stored labels in, for every topic."""

    GENES = "genes"
    CELLS = "cells"
    EDIT = "edit"


# The columns of the shipped topics' kinds in those releases: of topics that no longer say it by `stands_in`.
_STOOD_IN = {
    "gene": Slot.GENES,
    "cell": Slot.CELLS,
    "edit": Slot.EDIT,
    "intervention": Slot.GENES,
    "comparator": Slot.CELLS,
    "outcome": Slot.EDIT,
}
MOST_KINDS = 6
MOST_EXAMPLES = 200  # of either kind
FEWEST_EXAMPLES = 3  # of either kind, for the ranking to learn from them unasked
EXAMPLES_WEIGHT = 1.0


# What articles can be told apart by besides the kinds of a topic: the heading of an article names them.
MORE_FACETS = ("disease", "organism")


class Colour(StrEnum):
    """What a kind may be painted in: the theme has each in a tint for light pages and one for dark."""

    BLUE = "blue"
    GREEN = "green"
    ORANGE = "orange"
    VIOLET = "violet"
    RED = "red"
    GRAY = "gray"


class Underline(StrEnum):
    """How a kind is underlined, for those who do not tell colours apart."""

    SOLID = "solid"
    DOTTED = "dotted"
    DASHED = "dashed"
    DOUBLE = "double"


class Part(BaseModel):
    """A part of a topic's file: nothing stands in it that the form does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Example(Part):
    """A sentence, and in a few words why it counts or does not."""

    sentence: Sentence
    why: Annotated[str, StringConstraints(strip_whitespace=True, max_length=120)] = ""


class Examples(Part):
    """Sentences that count and sentences that do not, as the page Start and the tour show them and a ranking learns.

    weight: points of the hybrid for one of the log odds by what is learnt from them. Without it EXAMPLES_WEIGHT where
    there are FEWEST_EXAMPLES of both kinds and no cue, else nothing: what cues were written for was measured without.
    """

    accepted: list[Example] = Field(default=[], max_length=MOST_EXAMPLES)
    rejected: list[Example] = Field(default=[], max_length=MOST_EXAMPLES)
    weight: float | None = Field(default=None, ge=0, le=10, allow_inf_nan=False)


class Names(Part):
    """How names of a kind are looked for; what each field means says `Naming` in model/proposing/rules.py."""

    style: Style = Style.PHRASE
    before: Pattern = Field(default="", validate_default=False)
    behind: Pattern = Field(default="", validate_default=False)
    behind_is: str = ""
    inside: Pattern = Field(default="", validate_default=False)
    title_before: Pattern = Field(default="", validate_default=False)
    heads: Pattern = Field(default="", validate_default=False)
    own_heads: Pattern = Field(default="", validate_default=False)
    origins: Pattern = Field(default="", validate_default=False)
    own_before: Pattern = Field(default="", validate_default=False)
    words: list[Pattern] = Field(default=[], max_length=200)


class LikelyNames(Part):
    """Words that may be names where none were given; `never` are words apart by blanks."""

    pattern: Pattern
    never: str = ""
    never_like: list[Pattern] = Field(default=[], max_length=20)
    guess_beside: str = ""
    guess_at_most: int = Field(default=3, ge=1, le=20)


class ChoiceEntry(Part):
    """One of the values of a kind that is chosen, not named."""

    key: Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9 ]{0,19}$")]
    word: Line
    pattern: Pattern | None = None


class Mentions(Part):
    """What is found in every text, and groups of it by how they begin."""

    pattern: Pattern
    parts: dict[Key, Pattern] = {}


class KindEntry(Part):
    """A kind of names: how it is called, how it is painted and found.

    `stands_in` is read only in topics of earlier releases: the column in which they stored labels of this kind.
    """

    key: Key
    name: Name
    plural: Name
    stands_in: Slot | None = None
    colour: Colour
    line: Underline = Underline.SOLID
    vocabularies: list[Key] = Field(default=[], max_length=10)
    example: Annotated[str, StringConstraints(max_length=200)] = ""
    query_characters: int | None = Field(default=None, ge=10, le=1000)
    names: Names | None = None
    choices: list[ChoiceEntry] = Field(default=[], max_length=30)
    mentions: Mentions | None = None
    likely: LikelyNames | None = None

    @property
    def title(self) -> str:
        """What its names are called together: Genes, or Edit for one that is chosen."""
        return self.name if self.choices else self.plural

    @property
    def stood_in(self) -> Slot | None:
        """The column of earlier releases that its labels stood in; None for one that they did not know."""
        return self.stands_in or _STOOD_IN.get(self.key)


class CueEntry(Part):
    """One cue: words or a pattern, or mentions of a kind, or all sentences of a section."""

    name: Name
    weight: float = Field(ge=-10, le=10, allow_inf_nan=False)
    words: list[Line] = Field(default=[], max_length=300)
    pattern: Pattern | None = None
    beside: str = ""
    kind: str = ""
    part: str = ""
    likely: Likely = Likely.NEVER
    fits: bool = False
    near: str = ""
    within: int = Field(default=30, ge=0, le=500)
    section: Literal["", "abstract", "body"] = ""


class Queries(Part):
    """What sentences are compared with: a template for articles with names, and queries for those without.

    `each` is the kind of which each name makes a query by itself; a sentence is compared with the nearest of them.
    """

    article: Annotated[str, StringConstraints(max_length=500)] = ""
    each: str = ""
    generic: dict[Name, Line] = Field(min_length=1, max_length=10)
    best: str = ""


class Cosine(Part):
    """How much the hybrid makes of the cosine; see `CosineWeights` in model/proposing/rules.py."""

    named: float = Field(default=0.25, ge=0, le=10, allow_inf_nan=False)
    fine_tuned: float = Field(default=1.0, ge=0, le=10, allow_inf_nan=False)
    generic: float = Field(default=0.25, ge=0, le=10, allow_inf_nan=False)


class TopicFile(Part):
    """A topic's file.

    shared_words: None for as much as the cosine in a topic without cues, and for nothing in one with cues, which were
    chosen without it. common: None for twice the cosine without cues, and for nothing with cues.
    """

    form: Literal[1]
    name: Name
    about: Line = ""
    guideline: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=20_000)]
    examples: Examples = Examples()
    kinds: list[KindEntry] = Field(default=[], max_length=MOST_KINDS)
    cues: list[CueEntry] = Field(default=[], max_length=CUES)
    aside: float = Field(default=0.0, ge=-10, le=10, allow_inf_nan=False)
    queries: Queries
    shared_words: float | None = Field(default=None, ge=0, le=10, allow_inf_nan=False)
    common: float | None = Field(default=None, ge=0, le=10, allow_inf_nan=False)
    cosine: Cosine = Cosine()
    ranking: Literal["hybrid", "terms", "cosine"] = "hybrid"
    facets: list[Key] = Field(default=[], max_length=MOST_KINDS + len(MORE_FACETS))
    pieces: dict[Key, Pattern] = {}
