"""Document labels: read as people write them, merged from a CSV, reported line by line."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from annotate.articles.document_labels import (
    MAX_NAMES,
    Labels,
    Names,
    import_labels,
    labels_of,
    parse_labels,
    store_labels,
    terms_of,
    write_names,
)
from annotate.project.files.packed_lines import UnreadableFile
from annotate.project.home import read
from annotate.topics.file import shipped
from annotate.topics.project_topic import use_topic
from model.proposing.terms import DocumentTerms
from tests.support.labels import gene_labels
from tests.support.making import paper, query, store
from tests.support.written_identifiers import AS_PEOPLE_WRITE_THEM, STORED

pytestmark = pytest.mark.usefixtures("home")

CHOICES = {"edit": ("KO", "KI", "KD")}


def imported(folder: Path, text: str):
    path = folder / "labels.csv"
    path.write_text(text)
    return import_labels(path)


def labels(article_id: int = 1) -> Labels:
    with read() as session:
        return labels_of(session, [article_id])[article_id]


def of_genes(genes: Names, cells: Names | None = None, edits: Sequence[str] = ()) -> Labels:
    return Labels({"gene": genes, "cell": cells or {}, "edit": dict.fromkeys(edits, ())})


def test_names_stand_apart_by_semicolons_and_synonyms_behind_bars():
    found = parse_labels({"gene": "TP53|p53|P53; MDM2 ;;", "cell": " HeLa| ", "edit": "ko; KI|x;ko"}, CHOICES)
    assert found == of_genes({"TP53": ("p53", "P53"), "MDM2": ()}, {"HeLa": ()}, ("KO", "KI"))
    assert write_names(found.of("gene")) == "TP53|p53|P53; MDM2"
    assert parse_labels({kind: write_names(names) for kind, names in found.by_kind.items()}, CHOICES) == found


def test_an_unknown_edit_is_refused_by_naming_the_known_ones():
    with pytest.raises(ValueError, match=r"edit 'KX' is none of KO, KI, KD"):
        parse_labels({"edit": "KO;kx"}, CHOICES)


def test_a_kind_without_choices_holds_names_as_they_are():
    assert parse_labels({"edit": "pain at rest; Mortality;"}).of("edit") == {"pain at rest": (), "Mortality": ()}
    with pytest.raises(ValueError, match="edit: a name is longer than 100 characters"):
        parse_labels({"edit": "x" * 101})


def test_what_cannot_be_seen_is_no_part_of_a_name():
    labels = gene_labels("TP53\x00|p\u202e53\ud800 ; \x00 ; MDM2\xa0\u2003x", "\tHeLa\n")
    assert labels == of_genes({"TP53": ("p 53",), "MDM2 x": ()}, {"HeLa": ()})


@pytest.mark.timeout(20)  # in quadratic time it takes minutes
@pytest.mark.parametrize("between", [";", "|"])
def test_more_names_than_an_article_may_have_are_refused_at_once(between):
    fits = between.join(f"G{number}" for number in range(MAX_NAMES))
    assert len(terms_of(gene_labels(fits)).names("gene")) == MAX_NAMES
    with pytest.raises(ValueError, match=r"gene: 100,000 names .* 500"):
        gene_labels(between.join(f"G{number}" for number in range(100_000)))
    with pytest.raises(ValueError, match="cell: 501 names"):
        gene_labels("", fits + f"{between}more")
    with pytest.raises(ValueError, match="gene: a name is longer than 100 characters: xxx"):
        gene_labels("x" * 101)


def test_a_csv_that_gives_an_article_too_many_names_is_told_by_its_line_and_the_rest_is_kept(tmp_path):
    store(paper(pmid="1"), paper(pmid="2"))
    path = tmp_path / "labels.csv"
    many = [";".join(f"G{number}" for number in range(start, start + 300)) for start in (0, 300)]
    path.write_text(f"pmid,genes\n1,{many[0]}\n1,{many[1]}\n2,TP53\n")
    report = import_labels(path)
    assert (report.articles, report.failures) == (
        2,
        [(3, "gene: 600 names are more than an article may have: 500")],
    )
    path.write_text(f"pmid,genes\n2,MDM2\n1,{many[1]}\n")
    report = import_labels(path)
    assert report.articles == 1
    assert report.failures == [(3, "with what the article has, gene: 600 names are more than an article may have: 500")]
    with read() as session:
        assert len(labels_of(session, [1])[1].of("gene")) == 300


def test_merging_keeps_the_order_and_doubles_nothing():
    one = of_genes({"A": ("a",), "B": ()}, {}, ("KO",))
    other = of_genes({"C": (), "A": ("a", "aa")}, {"HeLa": ()}, ("KD", "KO"))
    assert one.merged(other) == of_genes({"A": ("a", "aa"), "B": (), "C": ()}, {"HeLa": ()}, ("KO", "KD"))


def test_names_in_either_form_of_unicode_are_one_and_stay_as_they_were_written_first():
    stored, typed = of_genes({"Mu\u0308": ("e\u0301",)}), gene_labels("M\u00fc|\u00e9|x; Mu\u0308|x", "", "")
    assert typed == of_genes({"M\u00fc": ("\u00e9", "x")})
    assert stored.merged(typed) == of_genes({"Mu\u0308": ("e\u0301", "x")})


def test_the_terms_of_a_ranking_hold_names_and_synonyms():
    found = terms_of(gene_labels("A|a;B", "C", "KD;KO"))
    assert [found.names(kind) for kind in ("gene", "cell", "edit")] == [("A", "a", "B"), ("C",), ("KD", "KO")]
    assert terms_of(Labels()) == DocumentTerms()


def test_a_csv_adds_labels_by_any_identifier(tmp_path):
    store(paper(pmid="1"), paper(pmcid="PMC2"), paper(doi="10.1/c"))
    text = (
        "PMID,pmcid,doi,genes,cells,edit\n"
        "1,,,TP53|p53,HeLa,KO\n"
        ",pmc2,,KRAS,,\n"
        ',,https://doi.org/10.1/C,,"A549; HeLa",kd\n'
        "1,,,MDM2,,\n"
    )
    report = imported(tmp_path, text)
    assert report.as_dict() == {"articles_labelled": 3, "failures": []}
    assert labels(1) == of_genes({"TP53": ("p53",), "MDM2": ()}, {"HeLa": ()}, ("KO",))
    assert labels(2) == of_genes({"KRAS": ()})
    assert labels(3) == of_genes({}, {"A549": (), "HeLa": ()}, ("KD",))


@pytest.mark.parametrize(("column", "written"), AS_PEOPLE_WRITE_THEM)
def test_a_row_finds_its_article_however_people_write_the_identifier(tmp_path, column, written):
    store(paper(pmid="1"), paper(**STORED))
    report = imported(tmp_path, f"{column},genes\n{written},TP53\n")
    assert report.as_dict() == {"articles_labelled": 1, "failures": []}
    assert labels(2) == of_genes({"TP53": ()})


def test_rows_that_write_one_article_differently_are_merged(tmp_path):
    store(paper(**STORED))
    imported(tmp_path, "pmid,doi,genes\n123.0,,TP53\n,doi:10.1371/JOURNAL.pone.0001,KRAS\npmid:123,,MDM2\n")
    assert labels() == of_genes({"TP53": (), "KRAS": (), "MDM2": ()})


def test_importing_labels_again_changes_nothing_and_more_are_added(tmp_path):
    store(paper(pmid="1"))
    imported(tmp_path, "pmid,genes\n1,TP53|p53\n")
    imported(tmp_path, "pmid,genes\n1,TP53|p53\n")
    assert query("SELECT kind, name, CAST(synonyms AS TEXT) FROM document_label") == [("gene", "TP53", '["p53"]')]
    imported(tmp_path, "pmid,genes,edit\n1,KRAS,KO\n")
    assert labels() == of_genes({"TP53": ("p53",), "KRAS": ()}, {}, ("KO",))


def test_rows_that_cannot_be_used_are_named_and_the_others_kept(tmp_path):
    store(paper(pmid="1"), paper(pmid="2"))
    report = imported(tmp_path, "pmid,genes,edit\n99,A,KO\n1,A,KX\n,B,KO\n2,C,KO\n")
    assert [line for line, _ in report.failures] == [2, 3, 4]
    assert [reason for _, reason in report.failures] == [
        "no such article: 99",
        "edit 'KX' is none of KO, KI, KD, OE",
        "no such article: no identifier",
    ]
    assert report.articles == 2  # a wrong cell costs no other one of its row
    assert (labels(1), labels(2)) == (of_genes({"A": ()}), of_genes({"C": ()}, {}, ("KO",)))


def test_a_file_without_label_columns_is_refused(tmp_path):
    with pytest.raises(UnreadableFile, match="needs a column genes or cells or edit"):
        imported(tmp_path, "pmid,names\n1,TP53\n")


def test_the_columns_are_called_as_the_topic_s_kinds_and_those_of_earlier_releases_are_read(tmp_path):
    use_topic(shipped("clinical_trial_findings").text, by="Anna")
    store(paper(pmid="1"), paper(pmid="2"))
    imported(tmp_path, "pmid,interventions,comparators,outcomes\n1,drug|the drug,placebo,pain at rest\n")
    expected = {"intervention": {"drug": ("the drug",)}, "comparator": {"placebo": ()}, "outcome": {"pain at rest": ()}}
    assert labels(1) == Labels(expected)
    imported(tmp_path, "pmid,genes,cells,edit\n2,drug|the drug,placebo,pain at rest\n")
    assert labels(2) == Labels(expected)


def test_labels_of_another_topic_s_kinds_stay_stored(tmp_path):
    store(paper(pmid="1"))
    imported(tmp_path, "pmid,genes,edit\n1,TP53|p53,KO\n")
    use_topic(shipped("clinical_trial_findings").text, by="Anna")
    store_labels(1, parse_labels({"outcome": "survival"}))
    store_labels(1, parse_labels({"outcome": "mortality"}))
    use_topic(shipped("gene_editing").text, by="Anna")
    store_labels(1, parse_labels({"gene": "MDM2"}))
    assert labels() == Labels({"gene": {"MDM2": ()}, "outcome": {"mortality": ()}})


def test_a_topic_without_kinds_takes_no_labels(tmp_path):
    use_topic(shipped("blank").text, by="Anna")
    with pytest.raises(UnreadableFile, match="the topic of this project has no document labels"):
        imported(tmp_path, "pmid,genes\n1,TP53\n")
