"""Document labels: read as people write them, merged from a CSV, reported line by line."""

from pathlib import Path

import pytest

from annotate.articles.document_labels import (
    MAX_NAMES,
    Labels,
    import_labels,
    labels_of,
    parse_labels,
    terms_of,
    write_names,
)
from annotate.articles.table_files import BadTable
from annotate.project.home import read
from model.proposing.terms import DocumentTerms
from tests.support.making import paper, query, store
from tests.support.written_identifiers import AS_PEOPLE_WRITE_THEM, STORED

pytestmark = pytest.mark.usefixtures("home")

CHOICES = ("KO", "KI", "KD")


def imported(folder: Path, text: str):
    path = folder / "labels.csv"
    path.write_text(text)
    return import_labels(path)


def labels(article_id: int = 1) -> Labels:
    with read() as session:
        return labels_of(session, [article_id])[article_id]


def test_names_stand_apart_by_semicolons_and_synonyms_behind_bars():
    found = parse_labels("TP53|p53|P53; MDM2 ;;", " HeLa| ", "ko; KI;ko", CHOICES)
    assert found == Labels({"TP53": ("p53", "P53"), "MDM2": ()}, {"HeLa": ()}, ("KO", "KI"))
    assert write_names(found.genes) == "TP53|p53|P53; MDM2"
    assert parse_labels(write_names(found.genes), write_names(found.cells), "KO;KI") == found


def test_an_unknown_edit_is_refused_by_naming_the_known_ones():
    with pytest.raises(ValueError, match=r"edit 'KX' is none of KO, KI, KD"):
        parse_labels("", "", "KO;kx", CHOICES)


def test_where_the_topic_has_no_choices_the_third_column_holds_names_as_they_are():
    assert parse_labels("", "", "pain at rest; Mortality;").edits == ("pain at rest", "Mortality")
    with pytest.raises(ValueError, match="a name of edit is longer than 100 characters"):
        parse_labels("", "", "x" * 101)


def test_what_cannot_be_seen_is_no_part_of_a_name():
    labels = parse_labels("TP53\x00|p\u202e53\ud800 ; \x00 ; MDM2\xa0\u2003x", "\tHeLa\n", "")
    assert labels == Labels({"TP53": ("p 53",), "MDM2 x": ()}, {"HeLa": ()})


@pytest.mark.timeout(20)  # in quadratic time it takes minutes
@pytest.mark.parametrize("between", [";", "|"])
def test_more_names_than_an_article_may_have_are_refused_at_once(between):
    fits = between.join(f"G{number}" for number in range(MAX_NAMES))
    assert len(terms_of(parse_labels(fits, "", "")).genes) == MAX_NAMES
    with pytest.raises(ValueError, match=r"100,000 names of genes .* 500"):
        parse_labels(between.join(f"G{number}" for number in range(100_000)), "", "")
    with pytest.raises(ValueError, match="501 names of cells"):
        parse_labels("", fits + f"{between}more", "")
    with pytest.raises(ValueError, match="a name of genes is longer than 100 characters: xxx"):
        parse_labels("x" * 101, "", "")


def test_a_csv_that_gives_an_article_too_many_names_is_told_by_its_line_and_the_rest_is_kept(tmp_path):
    store(paper(pmid="1"), paper(pmid="2"))
    path = tmp_path / "labels.csv"
    many = [";".join(f"G{number}" for number in range(start, start + 300)) for start in (0, 300)]
    path.write_text(f"pmid,genes\n1,{many[0]}\n1,{many[1]}\n2,TP53\n")
    report = import_labels(path)
    assert (report.articles, report.failures) == (
        2,
        [(3, "600 names of genes are more than an article may have: 500")],
    )
    path.write_text(f"pmid,genes\n2,MDM2\n1,{many[1]}\n")
    report = import_labels(path)
    assert report.articles == 1
    assert report.failures == [
        (3, "with what the article has, 600 names of genes are more than an article may have: 500")
    ]
    with read() as session:
        assert len(labels_of(session, [1])[1].genes) == 300


def test_merging_keeps_the_order_and_doubles_nothing():
    one = Labels({"A": ("a",), "B": ()}, {}, ("KO",))
    other = Labels({"C": (), "A": ("a", "aa")}, {"HeLa": ()}, ("KD", "KO"))
    assert one.merged(other) == Labels({"A": ("a", "aa"), "B": (), "C": ()}, {"HeLa": ()}, ("KO", "KD"))


def test_the_terms_of_a_ranking_hold_names_and_synonyms():
    assert terms_of(parse_labels("A|a;B", "C", "KD;KO")) == DocumentTerms(("A", "a", "B"), ("C",), "KD", ("KD", "KO"))
    assert terms_of(Labels()) == DocumentTerms((), (), None)


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
    assert labels(1) == Labels({"TP53": ("p53",), "MDM2": ()}, {"HeLa": ()}, ("KO",))
    assert labels(2) == Labels({"KRAS": ()})
    assert labels(3) == Labels({}, {"A549": (), "HeLa": ()}, ("KD",))


@pytest.mark.parametrize(("column", "written"), AS_PEOPLE_WRITE_THEM)
def test_a_row_finds_its_article_however_people_write_the_identifier(tmp_path, column, written):
    store(paper(pmid="1"), paper(**STORED))
    report = imported(tmp_path, f"{column},genes\n{written},TP53\n")
    assert report.as_dict() == {"articles_labelled": 1, "failures": []}
    assert labels(2) == Labels({"TP53": ()})


def test_rows_that_write_one_article_differently_are_merged(tmp_path):
    store(paper(**STORED))
    imported(tmp_path, "pmid,doi,genes\n123.0,,TP53\n,doi:10.1371/JOURNAL.pone.0001,KRAS\npmid:123,,MDM2\n")
    assert labels() == Labels({"TP53": (), "KRAS": (), "MDM2": ()})


def test_importing_labels_again_changes_nothing_and_more_are_added(tmp_path):
    store(paper(pmid="1"))
    imported(tmp_path, "pmid,genes\n1,TP53|p53\n")
    imported(tmp_path, "pmid,genes\n1,TP53|p53\n")
    assert query("SELECT kind, name, CAST(synonyms AS TEXT) FROM document_label") == [("gene", "TP53", '["p53"]')]
    imported(tmp_path, "pmid,genes,edit\n1,KRAS,KO\n")
    assert labels() == Labels({"TP53": ("p53",), "KRAS": ()}, {}, ("KO",))


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
    assert (labels(1), labels(2)) == (Labels({"A": ()}), Labels({"C": ()}, {}, ("KO",)))


def test_a_file_without_label_columns_is_refused(tmp_path):
    with pytest.raises(BadTable, match="needs a column genes or cells or edit"):
        imported(tmp_path, "pmid,gene\n1,TP53\n")
