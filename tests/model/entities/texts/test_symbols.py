"""Symbols whole, as an article writes them, and lists that share a stem."""

import pytest

from model.entities.texts.symbols import is_product, symbols_in, whole_symbol, with_shared_stem


@pytest.mark.parametrize(
    ("text", "name", "whole", "same"),
    [
        ("of circ-MFN2 in", "MFN2", "circ-MFN2", False),
        ("of lncRNA-MAP3K4 in", "MAP3K4", "lncRNA-MAP3K4", False),
        ("of bcNLK in", "NLK", "bcNLK", False),
        ("gene Coch_0033 of", "Coch", "Coch_0033", False),
        ("of TNF-α in", "TNF", "TNF-α", True),
        ("FcεR1γfl/fl mice", "FcεR1", "FcεR1γ", True),
        ("of miR-141-3p in", "miR-141", "miR-141-3p", True),
        ("of lnc-MICALL2-2 in", "MICALL2", "lnc-MICALL2-2", False),
        ("of MICALL2-2 in", "MICALL2", "MICALL2", True),
        ("of M2-AChR in", "AChR", "M2-AChR", False),
        ("of M2-AChR in", "M2", "M2", True),
        ("of L-G6pc in", "G6pc", "G6pc", True),
        ("of siTP53 in", "TP53", "TP53", True),
        ("the human-TP53 in", "TP53", "TP53", True),
    ],
)
def test_what_is_glued_to_a_name_belongs_to_it(text: str, name: str, whole: str, same: bool) -> None:
    begin = text.index(name)
    start, end, is_same = whole_symbol(text, begin, begin + len(name))
    assert (text[start:end], is_same) == (whole, same)


def test_symbols_of_no_vocabulary_are_seen_and_tools_are_not() -> None:
    text = "AC245100.4, circ_0012152, OsFucT, FAPα and nos2b by CRISPR, siRNA, eGFP and qPCR"
    found = [text[start:end] for start, end in symbols_in(text)]
    assert found[:5] == ["AC245100.4", "circ_0012152", "OsFucT", "FAPα", "nos2b"]
    assert not {"CRISPR", "siRNA", "eGFP"} & set(found)


def test_an_edit_that_is_glued_to_a_symbol_is_not_part_of_it() -> None:
    text = "MC4RKO mice, AKO mice"
    assert [text[start:end] for start, end in symbols_in(text)] == ["MC4R", "AKO"]


@pytest.mark.parametrize(
    ("symbol", "called"),
    [("circ_0012152", True), ("hsa_circ_0012152", True), ("lnc-W42", True), ("miR-21", True), ("MIRO1", False)],
)
def test_circular_long_and_micro_rnas_are_called_so(symbol: str, called: bool) -> None:
    assert is_product(symbol) is called


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("CSP1, 5 and 6 genes", ["CSP5", "CSP6"]),
        ("Smad2/3 levels", ["Smad3"]),
        ("CSP1 and 10 mice", []),
        ("CSP1, 24 h later", []),
        ("CSP1 was", []),
    ],
)
def test_a_list_shares_its_stem(text: str, more: list[str]) -> None:
    assert with_shared_stem(text, 0, 4 if text.startswith("CSP") else 5) == more


@pytest.mark.parametrize("symbol", ["Tm27RS", "Cyp3A4", "Rab5A", "Xk9LQP"])
def test_a_symbol_may_go_on_in_capitals_behind_its_number(symbol: str) -> None:
    text = f"CRISPR-cas9n-mediated {symbol} knockdown by nCas9, SpCas9 and eSpCas9."
    assert [text[start:end] for start, end in symbols_in(text)] == [symbol]


def test_a_change_of_an_amino_acid_is_not_part_of_the_symbol_before_it() -> None:
    text = "Glb1G455R and Foxq1KO mice"
    assert [text[start:end] for start, end in symbols_in(text)] == ["Glb1", "Foxq1"]
