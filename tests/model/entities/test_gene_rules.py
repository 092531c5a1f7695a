"""Without a tagger: which names of genes are meant, and which are words, short forms of something else, or chance."""

import pytest

from model.entities.gene_rules import something_else
from model.entities.kinds import Entry
from model.entities.lexicon import Lexicon
from model.entities.recogniser import Recogniser
from model.entity_types import EntityType

NAMED = {
    "ASA": ("arylsulfatase A",), "CI1": (), "STZ": (), "Python": (), "reduced": (), "renin": (), "IL2": ("IL-2",),
    "CCR5": (), "VEGF": ("vascular endothelial growth factor",), "SC": (), "dampened": (), "HOPX": (),
    "BRAF": (), "CFTR": (),
}  # fmt: skip
GENES = Lexicon.build(Entry(str(n), name, more, (), "9606") for n, (name, more) in enumerate(NAMED.items(), 1))
RECOGNISER = Recogniser({EntityType.GENE: GENES})


def genes(text: str) -> list[str]:
    return [text[m.start : m.end] for m in RECOGNISER.recognise(text)]


@pytest.mark.parametrize(
    "text",
    ["As a control", "a CI 1 of it", "It was reduced.", "Reduced growth", "in Python", "10 mg s.c. daily", "dampened"],
)  # fmt: skip
def test_words_and_what_folding_joins_by_chance_are_no_genes(text: str) -> None:
    assert genes(text) == []


def test_a_short_form_means_what_the_text_says_it_does() -> None:
    assert genes("Rats got streptozotocin (STZ), and STZ again.") == []
    assert genes("The vascular endothelial growth factor (VEGF) and VEGF.")[-1] == "VEGF"
    assert genes("C-C motif and chemokine co-stimulating radius 5 (CCR5) and CCR5") == ["CCR5", "CCR5"]


def test_symbols_and_proteins_in_small_letters_stay() -> None:
    assert genes("IL-2, IL 2, renin and HOPX") == ["IL-2", "IL 2", "renin", "HOPX"]


def test_a_symbol_in_capitals_as_the_vocabulary_writes_it_is_a_gene_whatever_abstracts_mean() -> None:
    assert {"BRAF", "CFTR"} <= something_else()
    assert genes("We lost BRAF and CFTR.") == ["BRAF", "CFTR"]


def test_the_list_of_what_abstracts_mean_otherwise_holds_words() -> None:
    listed = something_else()
    assert {"reduced", "similar", "For", "Python"} <= listed
    assert not {"TP53", "CXCR4", "IL-6", "TNF", "BRCA1"} & listed
