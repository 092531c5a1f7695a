"""What a search asks for, as a tree: words and phrases in fields, years, and how they are joined."""

import dataclasses
from dataclasses import dataclass
from enum import StrEnum

# Half-open character offsets in the typed text.
Place = tuple[int, int]
NOWHERE: Place = (0, 0)


class Field(StrEnum):
    """Where words are looked for; the values are what people type before a colon."""

    TEXT = "text"
    TITLE = "title"
    ABSTRACT = "abstract"
    TITLE_ABSTRACT = "tiab"
    MESH = "mesh"
    JOURNAL = "journal"
    SECTION = "section"
    GENE = "gene"
    CELL = "cell"
    EDIT = "edit"
    ORGANISM = "organism"
    LABEL = "label"
    ENTITY = "entity"
    KEY = "key"
    # Not stored: a service outside is asked for these.
    AUTHOR = "author"
    ADDRESS = "affiliation"
    PUBLICATION = "pub_type"
    LANGUAGE = "language"


# Looked for as whole names, not as words of a text.
NAMES = frozenset(Field) - {Field.TEXT, Field.TITLE, Field.ABSTRACT, Field.TITLE_ABSTRACT, Field.MESH}


@dataclass(frozen=True, slots=True)
class KindField:
    """The names of a kind of the topic; `below` says where in the index they stand: labels, and entities of a kind.

    `typed`: its name before a colon."""

    below: tuple[str, ...]
    typed: str = dataclasses.field(compare=False)

    def __str__(self) -> str:
        return self.typed


class BadQuery(ValueError):
    """A search that cannot be understood; says why, and where in the typed text."""

    def __init__(self, reason: str, place: Place = NOWHERE) -> None:
        super().__init__(reason)
        self.place = place

    def pointed(self, typed: str) -> str:
        """The reason, then the line that was typed with marks below the place."""
        start, end = self.place
        if start == end == 0 or not typed.isprintable():
            return str(self)
        return f"{self}\n{typed}\n{' ' * start}{'^' * max(1, end - start)}"


@dataclass(frozen=True, slots=True)
class Term:
    """A word or, as typed between quotes, a phrase. With `prefix` its last word may go on."""

    text: str
    field: Field | KindField = Field.TEXT
    phrase: bool = False
    prefix: bool = False
    place: Place = dataclasses.field(default=NOWHERE, compare=False)

    @property
    def is_name(self) -> bool:
        """Whether the term is looked for as a whole name."""
        return isinstance(self.field, KindField) or self.field in NAMES


@dataclass(frozen=True, slots=True)
class Years:
    """The year of publication, both ends included; None: open."""

    first: int | None
    last: int | None
    place: Place = dataclasses.field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class And:
    """All of the parts."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Any of the parts."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Not:
    """All documents that do not match the part."""

    part: "Node"


@dataclass(frozen=True, slots=True)
class Everything:
    """All there is: nothing was typed."""


Node = Term | Years | And | Or | Not | Everything


def joined(by: type[And] | type[Or], parts: list[Node]) -> Node:
    """The parts joined by AND or OR; one stands for itself."""
    flat = [each for part in parts for each in (part.parts if isinstance(part, by) else (part,))]
    wanted = tuple(part for part in flat if not isinstance(part, Everything))
    if not wanted:
        return Everything()
    return wanted[0] if len(wanted) == 1 else by(wanted)


def terms(node: Node) -> list[Term]:
    """The words that hits may hold, in order; those behind NOT are left out."""
    match node:
        case Term():
            return [node]
        case And(parts) | Or(parts):
            return [term for part in parts for term in terms(part)]
        case _:
            return []


def loosened(node: Node) -> Node:
    """The question with any of its words enough, for a question in which all of them are too many."""
    if not isinstance(node, And):
        return node
    words = [part for part in node.parts if isinstance(part, Term) and not part.is_name]
    rest = [part for part in node.parts if part not in words]
    return joined(And, [joined(Or, [*words]), *rest]) if len(words) > 1 else node


def parted(node: Node) -> tuple[list[Term], list[Node]]:
    """The plain words of a question, of which any may do, and all else that is typed: that must hold."""
    parts = node.parts if isinstance(node, And) else () if isinstance(node, Everything) else (node,)
    plain = [part for part in parts if isinstance(part, Term) and part == Term(part.text)]
    return plain, [part for part in parts if part not in plain]


def written(node: Node) -> str:
    """The question as people type it; read again it is the same."""
    match node:
        case Term(text, where, phrase, prefix):
            before = "" if where is Field.TEXT else f"{where}:"
            shown = f'"{text}"' if phrase else f"({text})" if " " in text else text
            return f"{before}{shown}{'*' * prefix}"
        case Years(first, last):
            return f"year:{first}" if first == last else f"year:{'' if first is None else first}..{last or ''}"
        case And(parts):
            return " AND ".join(_inside(part, (Or, And)) for part in parts)
        case Or(parts):
            return " OR ".join(_inside(part, (Or,)) for part in parts)
        case Not(part):
            return f"NOT {_inside(part, (And, Or, Not))}"
        case Everything():
            return ""


def _inside(node: Node, bracketed: tuple[type, ...]) -> str:
    return f"({written(node)})" if isinstance(node, bracketed) else written(node)
