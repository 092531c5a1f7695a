"""The things that are recognised: an entry of a vocabulary, a mention in a text."""

from dataclasses import dataclass

from model.entity_types import EntityType


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing of a vocabulary.

    `identifier` as its authority writes it (NCBI Gene `7157`, `CVCL_0030`, `CL:0000057`, NCBI Taxonomy `9606`);
    `organism` a taxon of NCBI or empty; `authority` its identifier elsewhere (HGNC:11998, MGI:98834) or empty.
    `synonyms` are short names, `descriptions` whole names: a symbol wins over a synonym, that over a description.
    """

    identifier: str
    name: str
    synonyms: tuple[str, ...] = ()
    descriptions: tuple[str, ...] = ()
    organism: str = ""
    authority: str = ""

    def names(self) -> tuple[tuple[int, str], ...]:
        """Each name with its rank: 0 the symbol or official name, 1 a synonym, 2 a description."""
        ranked = [(0, self.name), *((1, name) for name in self.synonyms), *((2, name) for name in self.descriptions)]
        return tuple((rank, name) for rank, name in ranked if name)

    def as_line(self) -> str:
        """The entry as one line, its fields apart by tabs, lists by bars."""
        lists = ("|".join(map(_clean, names)) for names in (self.synonyms, self.descriptions))
        first, last = (self.identifier, self.name), (self.organism, self.authority)
        return "\t".join((*map(_clean, first), *lists, *map(_clean, last)))

    @classmethod
    def of_line(cls, line: str) -> "Entry":
        """The entry that `as_line` wrote."""
        identifier, name, synonyms, descriptions, organism, authority = line.split("\t")
        short, whole = (tuple(names.split("|")) if names else () for names in (synonyms, descriptions))
        return cls(identifier, name, short, whole, organism, authority)


def _clean(name: str) -> str:
    return " ".join(name.replace("|", " ").split())


@dataclass(frozen=True, slots=True)
class Mention:
    """Half-open character offsets, what stands there, and which identifiers it may be: none where unknown.

    `probability` (0 to 1) says how sure the tagger is; 1 where a rule found it.
    """

    start: int
    end: int
    type: EntityType
    identifiers: tuple[str, ...] = ()
    probability: float = 1.0
