"""From a text to mentions with identifiers: the pitfalls of names of genes, cells and organisms."""

import pytest

from model.entities.kinds import Entry, Mention
from model.entities.lexicon import Lexicon
from model.entities.recogniser import Recogniser
from model.entity_types import EntityType
from tests.support.entities import ORGANISMS, small_lexicons

RECOGNISER = Recogniser(small_lexicons())


def told(text: str, kind: EntityType) -> list[tuple[str, tuple[str, ...]]]:
    return [(text[m.start : m.end], m.identifiers) for m in RECOGNISER.recognise(text) if m.type is kind]


def genes(text: str) -> list[tuple[str, tuple[str, ...]]]:
    return told(text, EntityType.GENE)


def test_a_gene_is_found_with_its_offsets_and_identifier() -> None:
    text = "Deletion of TP53 in human cells."
    assert RECOGNISER.recognise(text, types=[EntityType.GENE]) == [Mention(12, 16, EntityType.GENE, ("7157",))]


@pytest.mark.parametrize("text", ["It was seen by PCR in the impact of this.", "She was here.", "WT and SDS"])
def test_words_and_methods_are_no_genes(text: str) -> None:
    assert genes(text) == []


@pytest.mark.parametrize(
    ("text", "identifier"),
    [
        ("Loss of p53 in mice and in mouse cells.", "22059"),
        ("Loss of p53 in patients.", "7157"),
        ("Loss of p53 was seen.", "7157"),
        ("Trp53 and Foxq1 were deleted.", "22059"),
    ],
)
def test_the_organisms_of_the_text_decide_among_genes(text: str, identifier: str) -> None:
    assert genes(text)[0][1] == (identifier,)


def test_a_text_about_an_organism_without_vocabulary_gets_no_identifier_of_another() -> None:
    assert genes("TP53 of rats. Rats without TP53 and other rats.") == [("TP53", ()), ("TP53", ())]


@pytest.mark.parametrize(
    ("text", "organisms", "identifiers"),
    [
        ("Loss of TP53, RAT and WAS in cells. RAT was seen.", [], ("7157",)),
        ("Loss of TP53 in rats and in a Rat.", ["rats", "Rat"], ()),
        ("LOSS OF TP53 IN THE RAT", ["RAT"], ()),
        ("RATS WITHOUT FOOD: none had TP53.", ["RATS"], ()),
        ("PATIENTS: Three had no TP53.", ["PATIENTS"], ("7157",)),
    ],
)
def test_a_symbol_in_capitals_is_no_organism_but_a_title_in_capitals_names_one(
    text: str, organisms: list[str], identifiers: tuple[str, ...]
) -> None:
    assert [name for name, _ in told(text, EntityType.ORGANISM)] == organisms
    assert genes(text)[0] == ("TP53", identifiers)


def test_an_alias_is_never_another_gene_of_similar_letters() -> None:
    assert genes("TTP binds in human cells.") == [("TTP", ("7538",))]


def test_genotypes_are_not_part_of_the_name() -> None:
    assert [name for name, _ in genes("Foxq1-/- and Foxq1−/− mice, TP53KO cells, si-TP53")] == [
        "Foxq1", "Foxq1", "TP53", "TP53",
    ]  # fmt: skip


def test_a_gene_before_cells_is_their_name() -> None:
    assert genes("MDA cells grew.") == []


def test_cell_lines_need_their_noun_where_they_may_be_something_else() -> None:
    assert told("We used HEK-293 and 293 cells at 293 K.", EntityType.CELL_LINE) == [
        ("HEK-293", ("CVCL_0045",)), ("293", ("CVCL_0045",)),
    ]  # fmt: skip


def test_cell_types_and_organisms_are_found() -> None:
    assert told("Macrophages of mice", EntityType.CELL_TYPE) == [("Macrophages", ("CL:0000235",))]
    assert told("Macrophages of mice", EntityType.ORGANISM) == [("mice", ("10090",))]


def test_only_the_types_that_are_asked_for_are_given() -> None:
    found = RECOGNISER.recognise("TP53 in HeLa cells of mice", types=[EntityType.CELL_LINE])
    assert [mention.type for mention in found] == [EntityType.CELL_LINE]


def test_without_any_vocabulary_nothing_is_found() -> None:
    assert Recogniser({}).recognise("TP53 in HeLa cells of mice") == []


@pytest.mark.parametrize("text", ["", " ", "|||", "\u0000", "((((" * 50, "Δ", "TP53" * 300])
def test_strange_texts_do_no_harm(text: str) -> None:
    assert all(0 <= m.start < m.end <= len(text) for m in RECOGNISER.recognise(text))


def test_the_name_of_a_medium_names_no_gene_cell_or_organism() -> None:
    eagle = Entry("30397", "Aquila chrysaetos", ("Eagle",))
    fly = Entry("7227", "Drosophila melanogaster", ("Drosophila",))
    lexicons = small_lexicons() | {EntityType.ORGANISM: Lexicon.build([eagle, fly, *ORGANISMS])}
    text = "Mouse cells grew in Dulbecco's Modified Eagle Medium or in Schneider's Drosophila medium."
    found = Recogniser(lexicons).recognise(text)
    assert [text[m.start : m.end] for m in found] == ["Mouse"]
    named = Recogniser(lexicons).recognise("An eagle, Eagle by name, ate a mouse and a Drosophila.")
    assert {name for m in named for name in m.identifiers} == {"30397", "10090", "7227"}
