"""Taggers and the memory of names, learned from labelled corpora into the data folder; how well they recognise."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from annotate.entities.corpora import Document, content_hash, read_corpus
from annotate.entities.recognition import manifest, recogniser, store_taught
from annotate.entities.vocabularies import lexicon_of
from annotate.topics.vocabularies import TYPES, Vocabulary
from db.base import utc_now
from model.entities.features import Row, features_of
from model.entities.genes import Organisms
from model.entities.lexicon import Lexicon
from model.entities.marking import hits_of, longest, marks_of
from model.entities.memory import Memory
from model.entities.recogniser import Taught
from model.entities.tagger import Chain, Tagger, labels_of
from model.entities.texts.tokens import sentences_of
from model.entity_types import EntityType
from model.evaluation.entity_scores import Marked, score
from model.files import sha256_of
from model.names import fold

# By type: other marks of a corpus, learned as classes of their own so that they are not taken for the type.
OTHER_MARKS: dict[EntityType, tuple[str, ...]] = {EntityType.GENE: ("family", "domain")}
# A corpus with fewer mentions of a type cannot set the style in which it is read.
LEAST_OF_STYLE = 200
CHAIN = Chain()
# Of a type in all corpora: with the 89 cell lines of BioRED a tagger finds 20 to 40 of 100, the rules 54 and more.
LEAST_TO_LEARN = 500


def train(
    paths: Sequence[Path],
    types: Collection[EntityType] = tuple(EntityType),
    report: Callable[[str, int, int], None] = lambda stage, done, total: None,
    keep: Callable[[Document], bool] = lambda document: True,
) -> dict[str, Any]:
    """Trains a tagger for each type that the corpora mark, and stores them with what was learned of names.

    Each type learns only from corpora that mark it: elsewhere it is unknown, not absent. Returns the counts of
    what was read. Raises UnreadableFile, and ValueError where no corpus marks any of the types.
    """
    taught, trained_on = learn(paths, types, report, keep)
    store_taught(taught, trained_on)
    return {name: value for name, value in trained_on.items() if name != "documents"}


def learn(
    paths: Sequence[Path],
    types: Collection[EntityType],
    report: Callable[[str, int, int], None] = lambda stage, done, total: None,
    keep: Callable[[Document], bool] = lambda document: True,
) -> tuple[Taught, dict[str, Any]]:
    """What `train` stores, without storing it; `keep` says which documents are learned from."""
    corpora = {path: [document for document in read_corpus(path) if keep(document)] for path in paths}
    counts = {
        path: Counter(mention.type for document in documents for mention in document.mentions)
        for path, documents in corpora.items()
    }
    marked = [kind for kind in types if sum(count[kind] for count in counts.values()) >= LEAST_TO_LEARN]
    if not marked:
        raise ValueError(f"the corpora mark none of {', '.join(types)} at least {LEAST_TO_LEARN} times")
    lexicons = {TYPES[vocabulary]: lexicon_of(vocabulary) for vocabulary in Vocabulary}
    memory = _remember(corpora, lexicons)
    taggers, styles = {}, {}
    for kind in marked:
        chosen = [path for path in paths if counts[path][kind]]
        # The corpus whose way of marking is followed: the first with enough mentions, else the one with the most.
        enough = [path for path in chosen if counts[path][kind] >= LEAST_OF_STYLE]
        styles[kind] = style_of(enough[0] if enough else max(chosen, key=lambda path: counts[path][kind]))
        total = sum(len(corpora[path]) for path in chosen)
        documents = ((style_of(path), document) for path in chosen for document in corpora[path])
        taggers[kind] = Tagger.train(_examples(kind, documents, lexicons, total, report), CHAIN)
    trained_on: dict[str, Any] = {
        "types": [str(kind) for kind in marked],
        "trained_at": utc_now(),
        "corpora": [
            {"file": path.name, "sha256": sha256_of(path), "documents": len(corpora[path]), "mentions": counts[path]}
            for path in paths
        ],
        "documents": sorted({content_hash(document) for documents in corpora.values() for document in documents}),
    }
    return Taught(taggers, styles, memory), trained_on


def style_of(path: Path) -> str:
    """The name of a corpus' way of marking: its file's name without ending and part."""
    return path.name.partition(".")[0].removesuffix("_train").removesuffix("_dev").lower()


def _examples(
    kind: EntityType,
    documents: Iterator[tuple[str, Document]],
    lexicons: Mapping[EntityType, Lexicon],
    total: int,
    report: Callable[[str, int, int], None],
) -> Iterator[tuple[list[Row], list[str]]]:
    names = {kind: str(kind)} | {other: other for other in OTHER_MARKS.get(kind, ())}
    for done, (style, document) in enumerate(documents):
        report(f"learning {kind}", done, total)
        text, sentences = document.text, sentences_of(document.text)
        folded = fold(text)
        marks = marks_of(sentences, {each: hits_of(text, folded, own, each) for each, own in lexicons.items()})
        marked = [(mention.start, mention.end, mention.type) for mention in document.mentions]
        features = features_of(sentences, marks, style)
        for tokens, rows in zip(sentences, features, strict=True):
            yield rows, labels_of(list(zip(tokens.starts, tokens.ends, strict=True)), marked, names)


def _remember(corpora: Mapping[Path, Sequence[Document]], lexicons: Mapping[EntityType, Lexicon]) -> Memory:
    memory = Memory()
    known = lexicons[EntityType.GENE].organisms()
    for documents in corpora.values():
        for document in documents:
            for mention in document.mentions:
                if mention.type in set(EntityType) and mention.identifiers:
                    written = document.text[mention.start : mention.end]
                    memory.add(EntityType(mention.type), written, mention.identifiers)
            shares = Organisms(document.text, _organisms(document.text, lexicons), document.title_end).shares(known, {})
            main = max(shares, key=lambda taxon: shares[taxon])
            for identifier in {i for m in document.mentions if m.type == EntityType.GENE for i in m.identifiers}:
                memory.place(identifier, main)
    return memory


def _organisms(text: str, lexicons: Mapping[EntityType, Lexicon]) -> list[tuple[int, str]]:
    lexicon = lexicons[EntityType.ORGANISM]
    hits = longest(hits_of(text, fold(text), lexicon, EntityType.ORGANISM))
    return [(hit.start, lexicon.identifier(lexicon.names(hit.key)[0].row)) for hit in hits]


def evaluate(path: Path) -> tuple[dict[str, Any], int]:
    """Mentions (strict offsets) and identifiers (by document) against a corpus, by the types that it marks.

    Returns `{"mentions": {type: {precision, recall, f1}}, "identifiers": {...}, "documents": n}` and how many of the
    documents the tagger was trained on: on those, the figures say nothing. Raises UnreadableFile for a file that cannot
    be read, ValueError where it marks none of our types.
    """
    documents = read_corpus(path)
    marked = {mention.type for document in documents for mention in document.mentions}
    types = [kind for kind in EntityType if kind in marked]
    if not types:
        raise ValueError(f"{path.name} marks none of {', '.join(EntityType)}, in {len(documents):,} documents")
    identified = {m.type for document in documents for m in document.mentions if m.identifiers}
    figures = score(_pairs(documents, types), types, [kind for kind in types if kind in identified])
    learned = set(manifest().get("documents", ()))
    seen = sum(content_hash(document) in learned for document in documents)
    return {**figures, "documents": len(documents)}, seen


def _pairs(documents: list[Document], types: list[EntityType]) -> Iterator[tuple[list[Marked], list[Marked]]]:
    recognise = recogniser().recognise
    for document in documents:
        found = recognise(document.text, document.title_end, types)
        yield (
            [(m.start, m.end, str(m.type), m.identifiers) for m in found],
            [(m.start, m.end, m.type, m.identifiers) for m in document.mentions],
        )
