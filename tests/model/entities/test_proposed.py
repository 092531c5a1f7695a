"""Which genes an article edited, from its sentences and the names in them."""

import re

from model.entities.edited import genes_in
from model.entities.kinds import Mention
from model.entities.proposed import propose_labels
from model.entity_types import EntityType

IDS = {
    "FOXA1": "1", "cortactin": "2", "CTTN": "2", "MFN2": "3", "SOX2": "4", "SRY2": "4", "IL6": "5", "knock-out": "6",
}  # fmt: skip


def genes_named(*sentences: str) -> list[list[Mention]]:
    return [
        [
            Mention(*match.span(), EntityType.GENE, (IDS[match[0]],))
            for match in re.finditer("|".join(IDS), text)
        ]
        for text in sentences
    ]  # fmt: skip


def proposed(*sentences: str, titles: int = 0) -> list[str]:
    return [p.name for p in propose_labels(sentences, genes_named(*sentences), titles=titles)["gene"]]


def test_genes_of_one_list_share_what_was_done_to_the_first() -> None:
    found = proposed("IL6 rose.", "IL6 and IL6 again.", "We report knockdown of FOXA1, MFN2 and SOX2.")
    assert set(found[:3]) == {"FOXA1", "MFN2", "SOX2"}


def test_a_label_is_the_symbol_where_the_article_writes_both() -> None:
    assert proposed("Knockdown of cortactin.", "Loss of cortactin (CTTN).") == ["CTTN"]


def test_a_circular_rna_is_another_gene_than_its_host() -> None:
    assert proposed("Silencing of circ-MFN2 was seen.", "circ-MFN2 fell.", "MFN2 rose.")[0] == "circ-MFN2"


def test_the_word_for_an_edit_is_no_gene_and_overexpression_is_no_edit() -> None:
    assert proposed("FOXA1 knock-out was made.") == ["FOXA1"]
    assert proposed("Overexpression of IL6 and of IL6.", "SOX2 was knocked out; SOX2 is it.")[0] == "SOX2"


def test_what_is_measured_is_named_more_often_than_what_was_edited() -> None:
    measured = ["IL6 rose, and IL6 fell after IL6 and IL6."] * 3
    assert proposed(*measured, "FOXA1 was known.", "Knockdown of FOXA1 was made.")[0] == "FOXA1"


def test_a_circular_rna_counts_where_nothing_is_said_of_an_edit_too() -> None:
    sponge = ["circ_0012152 took up IL6.", "IL6 fell and circ_0012152 rose.", "It was circ_0012152."]
    assert proposed(*sponge, "Loss of circ_0012152 and of IL6.")[0] == "circ_0012152"


def test_words_for_an_edit_count_in_no_title() -> None:
    told = ("SOX2 acts by silencing IL6, by loss of IL6 and by targeting IL6.", "Knockdown of SOX2 was made.")
    assert proposed(*told)[0] == "IL6"
    assert proposed(*told, titles=1)[0] == "SOX2"


def test_a_title_says_half_as_much_of_the_kind_of_edit() -> None:
    told = ("Knockdown of SOX2 in knockout mice.", "SOX2 was knocked out.")
    shares = {
        titles: {one.name: one.probability for one in propose_labels(told, [[], []], titles=titles)["edit"]}
        for titles in (0, 1)
    }
    assert shares[1]["KD"] < shares[0]["KD"] and shares[1]["KO"] > shares[0]["KO"]


def test_a_gene_is_found_by_what_silences_it() -> None:
    assert proposed("Nymphs got dsTcVASA2.", "RNAi of TcVASA2 was lethal.") == ["TcVASA2"]
    assert proposed("RNA interference (RNAi) of C9orf72 was made.") == ["C9orf72"]
    assert proposed("Cells with shNC and siCtrl grew.") == []


def test_an_edit_behind_a_list_with_a_shared_stem_is_of_all_of_it() -> None:
    assert set(proposed("TcCSP7, 8 and 9-deficient larvae died.")) == {"TcCSP7", "TcCSP8", "TcCSP9"}


def test_three_small_letters_and_a_capital_are_a_symbol_beside_an_edit() -> None:
    assert proposed("The recA mutant was made.") == ["recA"]
    assert proposed("ApoB -/- mice were fed.") == ["ApoB"]


def test_a_gene_that_no_vocabulary_holds_is_taken_by_the_edit_beside_it_and_counts_wherever_it_stands() -> None:
    told = ("Tm27RS binds IL6.", "IL6 and IL6.", "IL6 is what Tm27RS binds.", "CRISPR-cas9n-mediated Tm27RS knockdown.")
    found = propose_labels(told, genes_named(*told), titles=0)["gene"]
    assert (found[0].name, found[0].sentences[0]) == ("Tm27RS", 3) and set(found[0].sentences) == {0, 2, 3}


def test_a_gene_that_no_edit_stands_near_is_never_likelier_than_not() -> None:
    told = ("IL6 rose.", "IL6 fell, and IL6 rose.", "It was in IL6.")
    assert propose_labels(told, genes_named(*told), titles=0)["gene"][0].probability < 0.5
    edited = (*told, "Knockdown of IL6 was made.")
    assert propose_labels(edited, genes_named(*edited), titles=0)["gene"][0].probability > 0.5
    by_title = ("Knockdown of IL6 in mice", *told)
    assert propose_labels(by_title, genes_named(*by_title), titles=1)["gene"][0].probability > 0.5


def test_a_gene_of_two_symbols_is_called_as_in_the_words_for_its_edit() -> None:
    told = ("SOX2 is SRY2.", "SOX2 rose and SOX2 fell.", "Knockdown of SRY2 was made.")
    assert proposed(*told)[0] == "SRY2"


def test_the_genes_that_are_proposed_are_those_that_are_seen_in_the_sentences() -> None:
    told = ("circ-MFN2 took up Tm27RS.", "RNAi of TcVASA2 and loss of Tm27RS left IL6 as it was.")
    seen = genes_in(told, genes_named(*told))
    written = {text[gene.start : gene.end] for text, its in zip(told, seen, strict=True) for gene in its}
    assert written == {"circ-MFN2", "Tm27RS", "TcVASA2", "IL6"}
    assert {one.name for one in propose_labels(told, genes_named(*told), titles=0)["gene"]} == written
