"""Mentions of genes, cells and edits, with and without document labels."""

from dataclasses import replace
from itertools import pairwise

import pytest

from model.proposing import terms
from model.proposing.rules import BLANK
from model.proposing.terms import DocumentTerms, TermSpan
from tests.support.labels import gene_terms
from tests.support.topics import RULES

GENE, CELL, EDIT = RULES.kinds
NOTHING = gene_terms()


def find_terms(text: str, labels: DocumentTerms = NOTHING) -> list[TermSpan]:
    return terms.find_terms(text, labels, RULES)


def guess_terms(sentences: list[str]) -> DocumentTerms:
    return terms.guess_terms(sentences, RULES)


def mentions(text: str, kind: str, **labels: tuple[str, ...]) -> list[str]:
    return [text[s.start : s.end] for s in find_terms(text, gene_terms(**labels)) if s.kind == kind]


@pytest.mark.parametrize(
    ("gene", "text", "expected"),
    [
        ("KIT", "We used the kit for KIT in Kit mice. Kit components were bought.", ["KIT", "Kit"]),
        ("KIT", "Kit-deficient mice died.", ["Kit"]),
        ("Was", "It was lost. Was it? WAS and the Was locus", ["WAS", "Was"]),
        ("FOXQ1", "Foxq1, FOXQ1 and foxq1", ["Foxq1", "FOXQ1", "foxq1"]),
        ("IL-1α", "IL1A, IL-1alpha, IL-1α, IL‑1α", ["IL1A", "IL-1alpha", "IL-1α", "IL‑1α"]),
        ("TNF alpha", "TNF-α and TNF-alpha rise; TNF a day", ["TNF-α", "TNF-alpha"]),
        ("IL1A", "IL-1α was cut", ["IL-1α"]),
        ("SOX2", "SOX 2 and Sox-2, but SOX21 and ASOX2 are others", ["SOX 2", "Sox-2"]),
        ("AChE", "AChE-edited eggs ache", ["AChE"]),
        ("tristetraprolin (TTP)", "Tristetraprolin, or TTP", ["Tristetraprolin", "TTP"]),
        ("c-Met", "the c-MET and cMet of one", ["cMet"]),
    ],
)
def test_a_gene_is_found_in_its_spellings_and_not_in_other_words(gene, text, expected):
    assert mentions(text, "gene", genes=(gene,)) == expected


@pytest.mark.parametrize(
    ("text", "gene", "allele"),
    [
        ("Foxq1-/- males", "Foxq1", "-/-"),
        ("Foxq1−/− males", "Foxq1", "−/−"),
        ("SCsFoxq1-/- cells", "Foxq1", "-/-"),
        ("nos2bsou2/sou2 fish", "nos2b", "sou2/sou2"),
        ("Glb1G455R mice", "Glb1", "G455R"),
    ],
)
def test_an_allele_glued_to_its_gene_is_an_edit(text, gene, allele):
    found = find_terms(text, gene_terms(genes=("Foxq1", "nos2b", "Glb1")))
    assert [(text[s.start : s.end], s.kind) for s in found] == [(gene, "gene"), (allele, "edit")]


def test_a_wild_type_genotype_is_no_edit():
    assert mentions("nos2b+/+ zebrafish", "edit", genes=("nos2b",)) == []


@pytest.mark.parametrize(
    ("cell", "text", "expected"),
    [
        ("HEK 293T", "HEK293T, HEK-293T cells", ["HEK293T", "HEK-293T cells"]),
        ("HEK293T", "HEK 293 T", ["HEK 293 T"]),
        ("hiPSCs", "an iPSC line and hiPSCs", ["iPSC line", "hiPSCs"]),
        ("rice (Oryza sativa)", "Rice, Oryza sativa and O. sativa", ["Rice", "Oryza sativa", "O. sativa"]),
        ("human embryonic stem cell (hESC) line", "embryonic stem cells, hESCs", ["embryonic stem cells", "hESCs"]),
        ("C57BL/6 mouse", "C57BL/6 mice", ["C57BL/6", "mice"]),
        ("OC cells", "OC spreads; OC cells do", ["OC cells"]),
        ("ABC cells", "ABC spreads; ABC cells and ABCs do", ["ABC cells", "ABCs"]),
        ("ABCD cells", "ABCD spreads; ABCD cells do", ["ABCD", "ABCD cells"]),
        ("L3.6", "L3.6 and L36", ["L3.6"]),
        ("Müller cells", "in Müller cells", ["Müller cells"]),
    ],
)
def test_a_cell_is_found_in_its_spellings(cell, text, expected):
    assert mentions(text, "cell", cells=(cell,)) == expected


def test_edit_words_are_found_without_labels_and_split_into_tools_and_acts():
    text = "CRISPR/Cas9 knock-out, KO, mutated, deletion of, null, silencing; Kobe knocked the KOALA"
    words = [text[s.start : s.end] for s in find_terms(text)]
    assert words == ["CRISPR/Cas9", "knock-out", "KO", "mutated", "deletion", "null", "silencing"]
    assert [EDIT.part_of(word) for word in words] == ["tool"] + [""] * 6


def test_spans_are_in_order_and_do_not_overlap():
    text = "KO of SOX2 in SOX2-reporter iPSC lines with CRISPR-Cas9, SOX2-/- mice"
    spans = find_terms(text, gene_terms(("SOX2", "SOX2-reporter"), ("SOX2-reporter iPSC", "mouse")))
    assert all(a.end <= b.start for a, b in pairwise(spans))
    assert {span.kind for span in spans} == {"gene", "cell", "edit"}


@pytest.mark.parametrize("name", ["", " ", "(", "基因", "a", "[x", "α", "+/-", "()", "β-", "A" * 500])
def test_an_odd_label_finds_itself_at_most_and_hides_no_other(name):
    text, named = "the (text) 基因 α of FOXA1 in HeLa (β)", gene_terms((name, "FOXA1"), (name, "HeLa"))
    found = [(text[span.start : span.end], span.kind) for span in find_terms(text, named)]
    own = [("基因", "gene")] if name == "基因" else []
    assert found == [*own, ("FOXA1", "gene"), ("HeLa", "cell")]


def test_genes_are_guessed_from_the_edits_beside_them():
    sentences = [
        "TP53 is known.",
        "We made a FOXA1 knockout in OC cells by CRISPR.",
        "FOXA1-/- cells grew with GFP and DNA.",
        "MYC rose.",
    ]
    assert guess_terms(sentences).names("gene") == ("FOXA1",)
    assert guess_terms(["Nothing was edited here."]) == gene_terms()
    assert guess_terms([]) == gene_terms()
    assert guess_terms(["Nothing here.", "FOXA1 was deleted."]).names("gene") == ("FOXA1",)


@pytest.mark.parametrize(("characters", "guessed"), [(30, ("FOXA1",)), (31, ())])
def test_a_gene_is_guessed_where_an_act_stands_within_thirty_characters(characters, guessed):
    assert guess_terms(["FOXA1" + "," * (characters - 1) + " knockout"]).names("gene") == guessed
    assert guess_terms(["FOXA1 CRISPR"]).names("gene") == ()  # a tool is no act


def test_guessed_genes_are_ordered_by_edits_then_by_mentions_then_by_name():
    edited = [f"{gene} was deleted." for gene in ("SOX2", "MYC2", "FOXA1")]

    def guessed(*more):
        return guess_terms([*edited, *more]).names("gene")

    assert guessed() == ("FOXA1", "MYC2", "SOX2")
    assert guessed("SOX2 rose.") == ("SOX2", "FOXA1", "MYC2")  # 1 1/4 against 1
    assert guessed(*["SOX2 rose."] * 4) == ("SOX2", "FOXA1", "MYC2")  # 2 against 1: half is kept
    assert guessed(*["SOX2 rose."] * 9) == ("SOX2", "FOXA1", "MYC2")  # more than four add nothing
    assert guessed("SOX2 rose.", "SOX2 was deleted.") == ("SOX2",)  # 2 1/4 against 1
    two = replace(RULES, kinds=(replace(GENE, guess_most=2), CELL, EDIT))
    assert terms.guess_terms(edited, two).names("gene") == ("FOXA1", "MYC2")
    assert guessed("ESR1 was deleted.") == ("ESR1", "FOXA1", "MYC2")
    assert guess_terms(["foxa1 fell.", "FOXA1 was deleted."]).names("gene") == ("FOXA1",)  # as it was written last


def test_symbols_and_cells_are_found_without_labels():
    text = "Ptdsr-deficient mice and FOXA1 in HeLa cells"
    assert [text[s.start : s.end] for s in terms.find_likely(text, GENE)] == ["Ptdsr", "FOXA1"]
    assert [text[s.start : s.end] for s in terms.find_likely(text, CELL)] == ["mice", "HeLa cells"]


@pytest.mark.parametrize("symbol", ["Ac45RP", "Rab27A", "Cox7AL1", "Ube3a"])
def test_a_symbol_may_have_letters_on_both_sides_of_its_digits(symbol):
    text = f"knockdown of {symbol} in the hypothalamus"
    assert [text[s.start : s.end] for s in terms.find_likely(text, GENE)] == [symbol]


@pytest.mark.parametrize(
    "tool",
    ["nCas9", "SpCas9", "cas9n", "SaCas9", "eSpCas9", "enAsCas12a", "CRISPR-cas9n", "CRISPR/nCas9", "CRISPR-SpCas9"],
)
def test_nucleases_are_tools_whatever_is_glued_to_them(tool):
    text = f"cells with {tool} were grown"
    assert [(text[s.start : s.end], s.kind) for s in find_terms(text, gene_terms())] == [(tool, "edit")]
    assert [text[s.start : s.end] for s in terms.find_likely(text, GENE)] == []


@pytest.mark.parametrize("word", ["cascade", "CASC9", "case 9", "carcass12"])
def test_words_that_only_look_like_nucleases_are_no_tools(word):
    assert find_terms(f"cells with {word} were grown", gene_terms()) == []


@pytest.mark.parametrize(
    ("repeated", "genes"), [("a.b-", 0), ("FOXA1 ", 2000), ("FOXA1-", 2000), ("-/", 0), ("knock ", 0)]
)
def test_a_hostile_text_is_read_to_its_end(repeated, genes):
    """A pattern that tried every way to part such a text would never come back."""
    labels = gene_terms(("FOXA1", "forkhead box A1", "HNF3A"), ("MCF-7", "HEK 293T"))
    assert [span.kind for span in find_terms(repeated * 2000, labels)] == ["gene"] * genes


def test_the_blank_rules_find_nothing():
    text = "We made a FOXA1 knockout in HeLa cells by CRISPR."
    assert terms.find_terms(text, gene_terms(("FOXA1",), ("HeLa",), "KO"), BLANK) == []
    assert terms.guess_terms([text], BLANK) == gene_terms()
