"""Prints how often the labels proposed for an article are those that its curators gave it.

python -m tests.measure.document_labels gold.csv [more.csv]    pmid, sentence_index, label, sentence, genes, cells, edit
python -m tests.measure.document_labels open                   the half of tests/data/edit_labels.csv for developing
python -m tests.measure.document_labels closed                 the other half, to report on until its errors were read
python -m tests.measure.document_labels fresh                  eighty more, to report on and not to look at

Genes: how many of the right ones are among the first k, where k is how many there are; and among the first three. Edit:
how often the likeliest kind is right. With the vocabularies and taggers of the data folder (KEYLINE_HOME). Parts are
measured twice: by the abstract alone, and with the title before it, as stored articles are read; files have no titles.
Not collected by pytest.
"""

import sys
from pathlib import Path

from annotate.entities.recognition import recogniser
from annotate.entities.vocabularies import lexicon_of
from annotate.topics.vocabularies import Vocabulary
from model.entities.kinds import Mention
from model.entities.proposed import Proposal, propose_labels
from model.names import fold_name
from tests.measure.ranking import PARTS, Gold, read_edits, read_gold


def by_sentence(sentences: list[str]) -> list[list[Mention]]:
    """The mentions of each sentence, recognised in the text as a whole."""
    text = " ".join(sentences)
    found = recogniser().recognise(text)
    placed, begin = [], 0
    for sentence in sentences:
        end = begin + len(sentence)
        placed.append(
            [
                Mention(m.start - begin, m.end - begin, m.type, m.identifiers, m.probability)
                for m in found
                if begin <= m.start and m.end <= end
            ]
        )
        begin = end + 1
    return placed


def spellings(label: str) -> set[str]:
    """The folded names that a label gives: p62/SQSTM1 and "Coch_0033 (hyalin-like protein)" give two each, and all."""
    parts = [label, *label.split("/"), *(part.strip(" )") for part in label.split("("))]
    return {fold_name(part) for part in parts if len(part) > 1}


def other_names(proposal: Proposal) -> set[str]:
    """The folded names of a proposal: its own, and those of the gene that it is identified as."""
    lexicon = lexicon_of(Vocabulary.GENES)
    entries = [entry for one in proposal.identifiers if (entry := lexicon.by_identifier(one))]
    names = [name for entry in entries for name in (entry.name, *entry.synonyms)]
    return {fold_name(name) for name in (proposal.name, *names)}


def measure(articles: list[Gold], verbose: bool, with_titles: bool = False) -> None:
    """Prints the figures of some articles, and what was wrong."""
    first, known, third, anywhere, genes, edits, edited = 0, 0, 0, 0, 0, 0, 0
    for article in articles:
        sentences = [article.title, *article.sentences] if with_titles else article.sentences
        proposed = propose_labels(sentences, by_sentence(sentences), titles=int(with_titles))
        ranked = [fold_name(proposal.name) for proposal in proposed["gene"]]
        named, chosen = article.terms.names("gene"), article.terms.names("edit")
        wanted = [fold_name(name) for name in named]
        synonyms = [other_names(proposal) for proposal in proposed["gene"]]
        known += sum(any(spellings(name) & names for names in synonyms[: len(wanted)]) for name in named)
        first += sum(name in ranked[: len(wanted)] for name in wanted)
        third += sum(name in ranked[: max(3, len(wanted))] for name in wanted)
        anywhere += sum(name in ranked for name in wanted)
        genes += len(wanted)
        kinds = [proposal.name for proposal in proposed["edit"] if proposal.name != "OE"]
        if chosen:
            edited += 1
            edits += kinds[:1] == [*chosen]
        if verbose and (kinds[:1] != [*chosen] or any(n not in ranked[: len(wanted)] for n in wanted)):
            edit = [(p.name, round(p.probability, 2)) for p in proposed["edit"]]
            print(named, chosen, "|", [p.name for p in proposed["gene"]], edit)
    print(
        f"{'title and abstract' if with_titles else 'abstract'}, {len(articles)} articles, {genes} genes:"
        f" first k {first / genes:.3f} (as spelled, or as a"
        f" synonym that comes with the label: {known / genes:.3f}), first three {third / genes:.3f},"
        f" anywhere {anywhere / genes:.3f}; edit kind {edits / max(1, edited):.3f} of {edited}"
    )


def main(sources: list[str], verbose: bool) -> None:
    """Prints a line for each source, and one with titles where there are any."""
    for source in sources:
        articles = read_edits(source) if source in PARTS else read_gold(Path(source))
        for with_titles in (False, True) if articles[0].title else (False,):
            measure(articles, verbose, with_titles)


if __name__ == "__main__":
    main([argument for argument in sys.argv[1:] if argument != "-v"], "-v" in sys.argv)
