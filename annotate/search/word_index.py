"""Documents found by their words, best first by BM25, in memory."""

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from tantivy import Document, Index, IndexWriter, SchemaBuilder

from annotate.search.words import TOKENIZER, analyzer, in_any_field
from model.names import alike

WRITER_BYTES = 50_000_000
# The title's words count twice: nDCG@10 of cystic fibrosis .482 → .489, trials .961 → .962, MED has no titles. As a
# field of its own next to the text the title did worse: .471 (trials .935), half its weight .491 (.951).
_TITLES = 2
WORDS = "words"
MESH = "mesh"
# MeSH terms at half the weight of the words: nDCG@10 of cystic fibrosis, 60 questions, .494 → .508, AP .298 → .323.
FIELDS: Mapping[str, float] = {WORDS: 1.0, MESH: 0.5}


@dataclass(frozen=True, slots=True)
class Words:
    """The words by which a document is found."""

    key: str
    title: str
    text: str
    mesh: tuple[str, ...] = ()


def together(title: str, text: str) -> str:
    """Title and text, both written by `alike`, as one text; the title's words count as much as measured best."""
    return "\n".join([*[title] * _TITLES, text])


class WordIndex:
    """Documents by their words, safe to use from many threads."""

    def __init__(self) -> None:
        builder = SchemaBuilder().add_text_field("key", stored=True, tokenizer_name="raw", index_option="basic")
        for name in (WORDS, MESH):
            builder.add_text_field(name, tokenizer_name=TOKENIZER)
        self._schema = builder.build()
        self._index = Index(self._schema)
        self._index.register_tokenizer(TOKENIZER, analyzer())
        self._writing = threading.Lock()

    def __len__(self) -> int:
        """How many documents there are."""
        return self._index.searcher().num_docs

    def add(self, documents: Iterable[Words]) -> None:
        """Adds documents, each in the place of that with the same key; found once this returns, all or none."""
        with self._writing_all_or_none() as writer:
            for each in documents:
                writer.delete_documents_by_term("key", each.key)
                text = together(alike(each.title), alike(each.text))
                writer.add_document(Document(key=each.key, words=text, mesh=alike("\n".join(each.mesh))))

    def delete(self, keys: Collection[str]) -> None:
        """Removes documents; those that are not there are none the less."""
        with self._writing_all_or_none() as writer:
            for key in keys:
                writer.delete_documents_by_term("key", key)

    @contextmanager
    def _writing_all_or_none(self) -> Iterator[IndexWriter]:
        with self._writing:
            writer = self._index.writer(WRITER_BYTES, 1)
            try:
                yield writer
                writer.commit()
            finally:
                writer.rollback()  # after an error; the writer's end would commit what it has
                writer.wait_merging_threads()
            self._index.reload()

    def search(self, words: str, limit: int, *, fields: Mapping[str, float] = FIELDS) -> list[tuple[str, float]]:
        """(key, BM25 score) of documents that hold any of the words, best first, those with equal scores by key.

        Any text may be asked for; of one without a word nothing is found. `fields`: WORDS (title and text) and MESH,
        with the weight of each.
        """
        query = in_any_field(self._schema, words, fields)
        if query is None or limit < 1:
            return []
        searcher = self._index.searcher()
        hits = searcher.search(query, limit, count=False).hits
        scored = [(str(searcher.doc(address)["key"][0]), score) for score, address in hits]
        return sorted(scored, key=lambda hit: (-hit[1], hit[0]))
