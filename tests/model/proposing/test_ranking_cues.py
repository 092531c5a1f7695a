"""The words by which the terms score knows earlier work, this work, kinds of edits and asides: each cue by itself."""

import pytest

from model.proposing.ranking import Pool, parts_of
from model.proposing.rules import NEAR
from tests.support.labels import gene_terms
from tests.support.topics import COLUMNS, CUES, RULES

TERMS = gene_terms(("FOXA1",), ("MCF-7",), "KO")


def part(text: str, name: str, edit: str = "KO", **kinds: list[str]) -> float:
    terms = gene_terms(["FOXA1"], ["MCF-7"], edit)
    return parts_of(Pool([text], terms=terms, rules=RULES, **kinds))[0, COLUMNS.index(CUES[name])]


@pytest.mark.parametrize(
    "cue",
    """previous|previously|recent|recently|has been|have been|has greatly|have long|other groups|as described|et al
    remain|remains|is known|are well known|was associated|were implicated|is considered|widely|caused by
    patient with|patients with|is a|is an|are the|is one|are caused|is frequent|is common|are most|encodes
    little is known|unknown|unclear|[7]|[7, 8]|[7,8–10]|[3-5]""".replace("\n    ", "|").split("|"),
)
def test_each_cue_of_earlier_work_and_of_general_statements_counts(cue):
    assert part(f"FOXA1 {cue} deleted", "earlier") == 1.0
    assert part(f"FOXA1 {cue.upper()}", "earlier") == 1.0
    assert part(f"FOXA1 {cue}", "earlier") == 1.0  # at the end of a sentence


@pytest.mark.parametrize(
    "cue",
    """provides|providing|these results|our findings|our data|our study|this study suggests|this work clearly shows
    the results indicate that|results strongly suggest that|the data showed that|findings demonstrating that
    screen|screens|protocol|protocols|review|reviewed|a new tool|a novel method|an efficient approach
    a practical strategy|a useful platform""".replace("\n    ", "|").split("|"),
)
def test_each_cue_of_what_is_said_of_the_whole_counts(cue):
    assert part(f"FOXA1 {cue} deleted", "conclusion") == 1.0
    assert part(f"FOXA1 {cue.upper()}", "conclusion") == 1.0


@pytest.mark.parametrize(
    "text",
    ["We aimed to delete FOXA1", "The aim of this study", "It is hypothesized that", "we tested whether", "we asked if",
     "to explore the role of FOXA1", "This study investigated the effects of FOXA1", "sought to delete", "our purpose"],
)  # fmt: skip
def test_what_a_study_is_for_is_said_of_the_whole(text):
    assert part(text, "conclusion") == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "we tested FOXA1 knockout cells",
        "FOXA1 was examined",
        "to determine FOXA1",
        "we tested the drug",
        "claimed to",
        "the results of FOXA1 knockout",
        "the data show FOXA1",
    ],
)
def test_an_experiment_is_no_aim_and_no_conclusion(text):
    assert part(text, "conclusion") == 0.0


@pytest.mark.parametrize(
    "opening",
    """Overall|In summary|In conclusion|In sum|Taken together|Together|Altogether|Collectively|Thus|Therefore
    Conclusion|CONCLUSIONS""".replace("\n    ", "|").split("|"),
)
def test_a_sentence_that_sums_up_says_so_in_its_first_words(opening):
    assert part(f"{opening}, FOXA1 KO cells grew", "conclusion") == 1.0
    assert part(f"FOXA1 KO cells grew, {opening.lower()}", "conclusion") == 0.0


@pytest.mark.parametrize(
    "text",
    ["FOXA1 was deleted here", "unremarkable", "recentred", "he has a cell", "is anterior", "mayor", "cannula", "[A]",
     "a new mouse", "screening", "the tool", "these mice", "known", "is well", "betalactam", "encoded", "remained",
     "it can grow", "which may suggest a potential therapy", "however", "this study was small", "overalls"],
)  # fmt: skip
def test_what_only_looks_like_a_cue_counts_as_none(text):
    assert part(text, "earlier") == part(text, "conclusion") == 0.0


@pytest.mark.parametrize(
    "cue",
    """here|herein|hereby|in this study|in the present work|in our current research|this report|we generated
    was created|were established|have constructed|has developed|been engineered|and silenced|by inactivating
    we then ablated|we also produced|we first generate|we have been editing|was successfully disrupted|we mutated
    we knocked out|was knocked in|were knocked down|performed gene editing|perform mutagenesis|performing a knockout
    performed silencing|we report|we have reported|we introduce|we targeted|we employ|we used
    generation of""".replace("\n    ", "|").split("|"),
)
def test_each_cue_of_own_work_counts_beside_an_edit(cue):
    assert part(f"{cue} a FOXA1 KO", "made") == 1.0
    assert part(f"{cue} a FOXA1 line", "made") == float("mutat" in cue or "knock" in cue or "edit" in cue
                                                      or "silenc" in cue or "disrupt" in cue or "ablat" in cue
                                                      or "inactivat" in cue or "mutag" in cue)  # fmt: skip


@pytest.mark.parametrize(
    "text", ["hereafter the KO", "adhere to KO", "the KO grew", "they see a KO", "the study of KO"]
)
def test_what_only_looks_like_own_work_is_none(text):
    assert part(text, "made") == 0.0


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("knockout", {"KO"}), ("knock-out", {"KO"}), ("knocked out", {"KO"}), ("KO", {"KO"}), ("KOs", {"KO"}),
        ("null", {"KO"}), ("knockin", {"KI"}), ("knock-ins", {"KI"}), ("KI", {"KI"}), ("KIs", {"KI"}),
        ("knockdown", {"KD"}), ("knock down", {"KD"}), ("silencing", {"KD"}), ("KD", {"KD"}), ("KDs", {"KD"}),
        ("mutation", {"KO", "KI", "KD"}), ("deletion", {"KO", "KI", "KD"}), ("edited", {"KO", "KI", "KD"}),
    ],
)  # fmt: skip
def test_an_act_counts_half_for_a_document_of_another_kind_of_edit(text, kinds):
    for edit in ("KO", "KI", "KD"):
        assert part(f"{text} of FOXA1", "edit", edit) == (1.0 if edit in kinds else 0.5)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("caption", 1), ("note", 1), ("formula", 1), ("table", 2), ("back", 2), ("sub-article", 2), ("paragraph", 0)],
)
def test_each_kind_of_aside_has_its_weight(kind, expected):
    assert part("x" * 40, "aside", paragraphs=[kind]) == part("x" * 40, "aside", sections=[kind]) == expected


@pytest.mark.parametrize(("length", "expected"), [(39, 1.0), (40, 0.0), (600, 0.0), (601, 1.0)])
def test_a_sentence_is_aside_below_40_and_over_600_characters(length, expected):
    assert part("x" * length, "aside") == expected


def test_a_kind_of_paragraph_never_makes_a_short_sentence_less_aside():
    assert part("Short.", "aside", sections=["body"], paragraphs=["paragraph"]) == 1.0
    assert part("Short.", "aside", sections=["back"], paragraphs=["caption"]) == 2.0


@pytest.mark.parametrize(("between", "expected"), [(NEAR, 1.0), (NEAR + 1, 0.0)])
def test_an_act_is_near_a_gene_within_thirty_characters(between, expected):
    assert NEAR == 30
    filler = (" of" * between)[: between - 1] + " "
    assert part(f"FOXA1{filler}KO", "near") == part(f"KO{filler}FOXA1", "near") == expected


def test_a_tool_is_no_act_and_an_act_no_tool():
    values = {text: [part(text, name) for name in ("edit", "tool", "near")] for text in ("FOXA1 CRISPR", "FOXA1 KO")}
    assert values == {"FOXA1 CRISPR": [0, 1, 0], "FOXA1 KO": [1, 0, 1]}


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("FOXA1", "gene", 1.0),
        ("the gene", "gene", 0.0),
        ("MYC2", "gene", 0.0),  # the document's labels name another
        ("MCF-7", "cell", 1.0),
        ("HeLa cells and MCF-7", "cell", 1.0),
        ("HeLa cells", "cell", 0.5),
        ("water", "cell", 0.0),
    ],
)
def test_genes_and_cells_of_the_labels_count_whole(text, name, expected):
    assert part(text, name) == expected


def test_without_labels_any_gene_symbol_counts_half_and_a_guessed_gene_whole():
    pool = Pool(["MYC2 rose.", "FOXA1 knockout grew.", "water"], rules=RULES)
    assert parts_of(pool)[:, COLUMNS.index(CUES["gene"])].tolist() == [0.5, 1.0, 0.0]
    # cells alone are labels too: then no gene is guessed
    named = Pool(pool.sentences, terms=gene_terms(cells=("MCF-7",)), rules=RULES)
    assert parts_of(named)[:, COLUMNS.index(CUES["gene"])].tolist() == [0.0, 0.0, 0.0]


def test_the_weights_are_those_of_the_documents():
    """docs/ranking.md gives them; a change of one is a change of every ranking without labels."""
    weights = {name: RULES.weights[column] for name, column in CUES.items()}
    assert weights == {
        "edit": 1,
        "tool": 0.5,
        "gene": 1,
        "cell": 1,
        "near": 1,
        "made": 1,
        "earlier": -0.5,
        "conclusion": -1,
        "aside": -1,
    }
    assert (RULES.cosine.named, RULES.cosine.fine_tuned, RULES.cosine.generic) == (0.25, 1.0, 0.05)
