"""Synonyms of a name in the vocabularies that a kind of the topic names."""

from collections.abc import Iterator
from itertools import islice

from annotate.entities.vocabularies import is_compiled, lexicon_of
from annotate.topics.schema import KindEntry
from annotate.topics.vocabularies import Vocabulary
from model.entities.kinds import Entry
from model.names import fold_name

_ENTRIES = 2  # of a vocabulary that a name may mean


def vocabulary_names(kind: KindEntry, name: str) -> Iterator[str]:
    """The names of the entries that a name means in the vocabularies of a kind, the official name first.

    None of a vocabulary that was not compiled yet: recognising entities does that, and takes a minute for the genes.
    """
    for vocabulary in (each for each in Vocabulary if each in kind.vocabularies and is_compiled(each)):
        for entry in islice(_entries(vocabulary, name), _ENTRIES):
            yield from (other for _, other in entry.names())


def _entries(vocabulary: Vocabulary, name: str) -> Iterator[Entry]:
    lexicon = lexicon_of(vocabulary)
    key = lexicon.key_of(fold_name(name))
    if key is None:
        return
    known = sorted(lexicon.names(key), key=lambda one: one.rank)
    best = [one for one in known if one.rank == known[0].rank]
    yield from (lexicon.entry(row) for row in dict.fromkeys(one.row for one in best))
