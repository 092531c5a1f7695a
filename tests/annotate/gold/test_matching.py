"""A passage finds its sentences; a gold file finds its articles, says why a row does not, and is stored once."""

import csv
import json
import random
import string
from pathlib import Path

import pytest

import db.articles
import db.review.verdicts
from annotate.articles.document import Article, Paragraph, ParagraphKind, Section, SectionKind
from annotate.articles.parsing import ParsedEntry
from annotate.gold.export_file import export
from annotate.gold.import_file import GoldReport, import_gold
from annotate.gold.matching import FUZZY_THRESHOLD, LONGEST_FUZZY, ArticleText, Match, Method, fold
from annotate.gold.rows import gold_rows, names_in
from annotate.project.files.packed_lines import UnreadableFile
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.review.verdicts import record
from tests.support.ingesting import ingest
from tests.support.labels import gene_labels, set_labels

SENTENCES = [
    "Fish were kept at 28 °C under a cycle of light and dark.",
    "To learn whether slc9a is needed, we deleted exon 4 of slc9a in the zebrafish line Tü with Cas9.",
    "Mutant larvae swam 31 % less than their siblings (p < 0.001; Figure 2).",
    "Expression of the β-subunit fell to 0.4 ± 0.1 of the wild type.",
    "Group\tLength (mm)\tWeight (mg)",
    "Mutant\t3.1 (0.2)\t1.9 (0.3)",
    "Sibling\t3.8 (0.3)\t2.6 (0.4)",
    "No larva died.",
    "The protein is thus needed for swimming but not for survival.",
]


@pytest.fixture(scope="module")
def text() -> ArticleText:
    return ArticleText(SENTENCES)


@pytest.mark.parametrize(
    ("passage", "positions", "method"),
    [
        (SENTENCES[2], (2,), Method.EXACT),
        ("we deleted exon 4 of slc9a in the zebrafish", (1,), Method.EXACT),
        ("No larva died.", (7,), Method.EXACT),
        ("Mutant larvae swam 31% less than their\nsiblings (p<0.001; Figure\u20092).", (2,), Method.WHITE_SPACE),
        ("No larva\u200b died.", (7,), Method.WHITE_SPACE),
        ("Mutant3.1 (0.2)1.9 (0.3)Sibling3.8 (0.3)2.6 (0.4)", (5, 6), Method.WHITE_SPACE),
        ("EXPRESSION OF THE beta-SUBUNIT fell to 0.4 +/- 0.1 of the wild type", (3,), Method.FOLDED),
        ("Fish were kept at 28 ℃ under a cycle", (0,), Method.FOLDED),
        ("no larva died.", (7,), Method.FOLDED),
        ("RESULTS: Mutant larvae swam 31 % less than their siblings", (2,), Method.EXACT),
        ("Mutant laruae swam 31 % less thon their siblngs (p < 0.001; Figure 2).", (2,), Method.FUZZY),
        ("The protein is needed for swimming not for survival.", (8,), Method.FUZZY),
    ],
)
def test_a_passage_finds_its_sentences(text, passage, positions, method):
    match = text.match(passage)
    assert match is not None
    assert (match.positions, match.method) == (positions, method)


@pytest.mark.parametrize(
    ("passage", "positions"),
    [
        (f"{SENTENCES[2]} {SENTENCES[3]}", (2, 3)),
        (f"with Cas9. {SENTENCES[2]} Expression", (2,)),
        (f"{SENTENCES[2]} E", (2,)),
        (f". {SENTENCES[2]}", (2,)),
        ("less than their siblings (p < 0.001; Figure 2). Expression of the β-subunit fell", (2, 3)),
        (f"{SENTENCES[2]} Exprcssion of the β-suhunit fell to 0.4 ± 0.1", (2, 3)),
    ],
)
def test_whole_sentences_and_real_parts_are_labelled_and_slips_into_a_neighbour_are_not(text, passage, positions):
    match = text.match(passage)
    assert match is not None
    assert match.positions == positions


@pytest.mark.parametrize(
    ("passage", "reason"),
    [
        ("  ", "the sentence is empty"),
        ("larva died", "9 characters are too few"),
        ("Patients were asked to return after one year for a visit.", "best score"),
        ("Mutant larvae swam 58 % more than all of the drugged animals", "nearest is sentence 2: 'Mutant larvae swam"),
        ("x" * (LONGEST_FUZZY + 1), "too long"),
    ],
)
def test_a_passage_that_is_not_there_is_refused_with_the_reason(text, passage, reason):
    assert text.match(passage) is None
    assert reason in text.why_not(passage)


def test_a_passage_whose_raised_numbers_run_into_its_words_is_found():
    stored = ["T cells grew.", "We deleted IL-2\u20091 in T cells\u20092,3."]
    assert ArticleText(stored).match("We deleted IL-21 in T cells2,3.") == Match((1,), Method.WHITE_SPACE)


def test_a_number_that_differs_counts_more_than_a_letter(text):
    letter = text.nearest("Mutont larvae swam 31 % less than their siblings")
    digit = text.nearest("Mutant larvae swam 39 % less than their siblings")
    assert letter.score > FUZZY_THRESHOLD
    assert digit.score < letter.score


def test_an_article_without_sentences_matches_nothing():
    empty = ArticleText([])
    assert empty.match(SENTENCES[0]) is None
    assert empty.why_not(SENTENCES[0]) == "the article has no sentences"


def test_the_hint_chooses_among_equal_texts_only():
    text = ArticleText([*SENTENCES, SENTENCES[2]])
    assert text.match(SENTENCES[2]).positions == (2,)
    assert text.match(SENTENCES[2], hint=9).positions == (9,)
    assert text.match(SENTENCES[2], hint=3).positions == (2,)
    assert text.match("swam 31 % less than their siblings", hint=9).positions == (9,)
    assert text.match(SENTENCES[2], hint=8).positions == (9,)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("p−value – “one”", 'p-value - "one"'),
        ("ﬁve µg", "five μg"),
        ("TNF-α", "tnf-alpha"),
        ("10<sup>3</sup> cells", "103cells"),
        ("p &lt; 0.05", "p<0.05"),
        ("naïve", "naive"),
        ("soft\u00adhyphen", "softhyphen"),
    ],
)
def test_folding_writes_one_thing_one_way(first, second):
    assert fold(first) == fold(second)


def test_folding_keeps_what_differs_in_meaning():
    assert fold("a ≠ b") != fold("a = b")
    assert fold("p < 0.05") != fold("p > 0.05")


def test_a_hundred_damaged_passages_of_a_long_article_are_found_in_their_places():
    generator = random.Random(3)
    words = ["".join(generator.choices(string.ascii_lowercase, k=generator.randint(2, 9))) for _ in range(2000)]
    sentences = [" ".join(generator.choices(words, k=24)) for _ in range(800)]
    wanted = generator.sample(range(800), 100)
    passages = [sentences[position].replace("e", "c", 4) for position in wanted]
    text = ArticleText(sentences)
    found = [text.match(passage) for passage in passages]
    assert sum(match is not None and match.positions == (p,) for match, p in zip(found, wanted, strict=True)) >= 99


@pytest.fixture
def article_id(home: Path) -> int:
    """The article of these sentences, PMID 77, its table rows as table paragraphs."""
    store("77", SENTENCES)
    with read() as session:
        return db.articles.find_by_name(session, pmid="77")


def store(pmid: str, sentences: list[str]) -> None:
    kinds = [ParagraphKind.TABLE if "\t" in sentence else ParagraphKind.PARAGRAPH for sentence in sentences]
    paragraphs = tuple(Paragraph(sentence, kind) for sentence, kind in zip(sentences, kinds, strict=True))
    article = Article(title="Swimming", pmid=pmid, sections=(Section("Results", SectionKind.BODY, paragraphs),))
    ingest([ParsedEntry(f"{pmid}.xml", article)])


def import_rows(folder: Path, header: str, *rows: tuple[str, ...]) -> GoldReport:
    path = folder / "gold.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header.split(), *rows])
    return import_gold(path)


def verdicts() -> dict[tuple[str, int], str]:
    with read() as session:
        return {(name, position): row.value for row, name, position in db.review.verdicts.current_verdicts(session)}


def test_each_row_that_is_not_matched_is_reported_with_its_line_and_the_reason(article_id, tmp_path):
    report = import_rows(
        tmp_path,
        "pmid sentence",
        ("77", SENTENCES[2]),
        ("78", SENTENCES[2]),
        ("77", "Mutant larvae swam 58 % more than all of the drugged animals"),
        ("", SENTENCES[2]),
    )
    assert report.matched == {Method.EXACT: 1}
    assert [line for line, _ in report.failures] == [3, 4, 5]
    assert report.failures[0][1] == "no such article: 78"
    assert "best score" in report.failures[1][1]
    assert "nearest is sentence 2: 'Mutant larvae swam 31 %" in report.failures[1][1]
    assert report.failures[2][1] == "no such article: no identifier"
    assert json.dumps(report.as_dict())


def test_importing_again_adds_nothing_even_where_rows_contradict_each_other(article_id, tmp_path):
    rows = [("77", SENTENCES[2], "1"), ("77", SENTENCES[2], "0"), ("77", SENTENCES[7], "unsure")]
    assert import_rows(tmp_path, "pmid sentence label", *rows).verdicts == 2
    assert verdicts() == {("gold", 2): "reject", ("gold", 7): "unsure"}
    assert import_rows(tmp_path, "pmid sentence label", *rows).verdicts == 0


def test_a_part_of_a_sentence_never_overrules_the_whole(article_id, tmp_path):
    rows = [("77", SENTENCES[2], "1"), ("77", "Mutant larvae swam 31 % less", "0")]
    assert import_rows(tmp_path, "pmid sentence label", *rows).verdicts == 1
    assert verdicts() == {("gold", 2): "accept"}


def test_a_short_piece_matches_the_only_sentence_that_begins_or_ends_with_it():
    text = ArticleText(["The method follows Smith et al. (2021).", "Growth was normal.", "Growth was slow."])
    assert text.match("(2021).").positions == (0,)
    assert text.match("Growth was") is None
    assert text.match("al.") is None


def test_unknown_labels_verdicts_and_names_refuse_the_whole_file_with_their_lines(article_id, tmp_path):
    with pytest.raises(UnreadableFile) as refusal:
        import_rows(
            tmp_path,
            "pmid sentence label verdicts read_in_full_by",
            ("77", SENTENCES[2], "1", "", ""),
            ("77", SENTENCES[3], "maybe", "", ""),
            ("77", SENTENCES[3], "1", "Anna: yes", ""),
            ("77", SENTENCES[3], "1", "Anna: accept", "a|b"),
        )
    assert [part.split(":")[0] for part in str(refusal.value).split("line ")[1:]] == ["3", "4", "5"]
    assert verdicts() == {}


def judge(article_id: int) -> None:
    """Two annotators disagree on one sentence and comment; one adds another sentence and reads the article."""
    shown = {"rank": 2, "cosine": 0.71, "ranking": "cosine", "model": "m1"}
    events = {
        "Anna": [
            {"kind": "verdict", "sentence": 1, "value": "accept", "shown": shown},
            {"kind": "comment", "sentence": 1, "value": "first line\nsecond: line"},
        ],
        "Bob": [
            {"kind": "verdict", "sentence": 1, "value": "reject"},
            {"kind": "verdict", "sentence": 3, "value": "accept"},
            {"kind": "comment", "sentence": 1, "value": "exon 4 only"},
            {"kind": "read", "value": True},
        ],
        "Cleo": [
            {"kind": "comment", "sentence": 1, "value": "no verdict of mine here"},
            {"kind": "verdict", "sentence": 8, "value": "unsure"},
        ],
    }
    for name, theirs in events.items():
        stored, refused = record(name, article_id, [{"id": f"{name}-event-{n}", **e} for n, e in enumerate(theirs)])
        assert not refused and len(stored) == len(theirs)


def test_our_own_export_restores_everything_in_a_fresh_data_folder(article_id, tmp_path, other_home):
    judge(article_id)
    with read() as session:
        before = gold_rows(session)
    export(tmp_path / "gold.csv")
    other_home()
    store("77", SENTENCES)
    assert import_gold(tmp_path / "gold.csv").verdicts == 4
    with read() as session:
        assert gold_rows(session) == before
    assert import_gold(tmp_path / "gold.csv").verdicts == 0
    with read() as session:
        assert gold_rows(session) == before


def test_our_own_export_adds_nothing_to_the_folder_that_it_came_from(article_id, tmp_path):
    judge(article_id)
    with write(Right.SYSTEM) as session:
        set_labels(session, article_id, gene_labels("slc9a", "Tü", "KO"))
    export(tmp_path / "gold.csv")
    assert "slc9a" in (tmp_path / "gold.csv").read_text()
    assert import_gold(tmp_path / "gold.csv").verdicts == 0


def test_a_verdict_given_after_the_export_outlives_its_import(article_id, tmp_path):
    judge(article_id)
    export(tmp_path / "gold.csv")
    record("Bob", article_id, [{"id": "bob-again", "kind": "verdict", "sentence": 3, "value": "reject", "time": 4e9}])
    assert import_gold(tmp_path / "gold.csv").verdicts == 0
    assert verdicts()["Bob", 3] == "reject"


def test_genes_cells_and_edit_are_stored_and_corrected_once(article_id, tmp_path):
    header = "pmid sentence genes cells edit"
    for genes, added in (("", 1), ("slc9a", 1), ("slc9a", 0), ("slc9a;slc9b", 1), ("", 0)):
        assert import_rows(tmp_path, header, ("77", SENTENCES[1], genes, "", "")).verdicts == added
    with read() as session:
        (row,) = gold_rows(session)
    assert tuple(names_in(row).values()) == ("slc9a;slc9b", "", "")


def test_odd_numbers_and_times_are_left_out(article_id, tmp_path):
    header = "pmid sentence sentence_index rank cosine time"
    import_rows(tmp_path, header, ("77", SENTENCES[1], "1.0", "9" * 30, "nan", "12 weeks"))
    with read() as session:
        (row,) = gold_rows(session)
    assert (row["rank"], row["cosine"]) == ("", "")
    assert row["time"].startswith("20")


def test_rows_of_many_articles_in_any_order_find_theirs(home, tmp_path):
    for number in range(12):
        store(str(100 + number), [sentence.replace("larva", f"larva{number}") for sentence in SENTENCES])
    rows = [(str(100 + n), SENTENCES[p].replace("larva", f"larva{n}")) for p in (2, 7) for n in range(12)]
    report = import_rows(tmp_path, "pmid sentence", *rows)
    assert (report.matched, report.verdicts, report.failures) == ({Method.EXACT: 24}, 24, [])
