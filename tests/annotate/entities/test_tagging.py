"""Entities of stored articles: kept with their version, found anew when that changes, no labels by themselves."""

from pathlib import Path

import pytest

import db.articles
import db.entities
from annotate.articles.document_labels import labels_of, store_labels
from annotate.entities import recognition, tagging
from annotate.entities.proposed_labels import NoSuchProposal, confirm, offered, sure_ones
from annotate.entities.recognition import version_now
from annotate.entities.tagging import tag_articles
from annotate.entities.vocabularies import load_vocabulary
from annotate.gold.rows import gold_rows
from annotate.project.home import look_up, read, write
from annotate.project.rights import Right
from annotate.review.article_view import reading_view
from annotate.topics.file import shipped
from annotate.topics.project_topic import use_topic
from annotate.topics.vocabularies import link_of
from annotate.work import run_job
from tests.support.labels import gene_labels
from tests.support.making import judge, paper, query, store, verdict

TEXT = ("TP53 is known.", "Here we generated TP53 knockout HeLa cells by CRISPR.", "Mice were fed.")


@pytest.fixture
def tagged(few_genes: Path) -> Path:
    store(paper(TEXT, ("BRCA1 was measured in HeLa cells.",), pmid="1", title="Knockout of TP53 in human cells"))
    assert tag_articles() == 1
    return few_genes


def test_mentions_are_kept_with_offsets_in_their_paragraph(tagged: Path) -> None:
    with read() as session:
        found = db.entities.candidates(session, 1)
    texts = dict(query("SELECT id, text FROM paragraph"))
    told = [(texts[row.paragraph_id][row.start : row.end], row.type, row.identifiers) for row in found]
    assert ("TP53", "gene", ["7157"]) in told and ("BRCA1", "gene", ["672"]) in told
    assert ("HeLa", "cell_line", ["CVCL_0030"]) in told and ("Mice", "organism", ["10090"]) in told


def test_what_was_seen_is_not_looked_at_again_until_a_vocabulary_changes(tagged: Path, tmp_path: Path) -> None:
    assert tag_articles() == 0
    before = version_now()
    path = tmp_path / "lines.tsv"
    path.write_text("accession\torganism\tnames\nCVCL_9999\tHomo sapiens\tHeLa\n")
    load_vocabulary(path)
    assert version_now() != before and tag_articles() == 1
    assert query("SELECT version, sentence_count FROM article_scan WHERE kind = 'entities'") == [(version_now(), 4)]


def test_what_the_rules_of_an_earlier_release_saw_is_looked_at_again(
    tagged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recognition, "RULES", recognition.RULES + 1)
    assert tag_articles() == 1 and tag_articles() == 0


def test_an_article_that_grew_is_looked_at_again(tagged: Path) -> None:
    with write(Right.SYSTEM) as session:
        db.articles.article(session, 1).sentence_count += 1
    assert tag_articles() == 1 and tag_articles() == 0


def test_names_that_are_loaded_meanwhile_are_what_the_rest_is_looked_at_with(
    few_genes: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for number in range(1, 4):
        store(paper((f"TP53 was deleted, {number}.",), pmid=str(number), title=f"Title {number}"))
    monkeypatch.setattr(tagging, "BATCH_ARTICLES", 1)
    path = tmp_path / "lines.tsv"
    path.write_text("accession\torganism\tnames\nCVCL_9999\tHomo sapiens\tHeLa\n")
    asked = iter(("before the first batch", "after it"))

    def loaded_after_the_first_batch() -> bool:
        if next(asked, "") == "after it":
            load_vocabulary(path)
        return False

    done = tag_articles(cancelled=loaded_after_the_first_batch)
    assert done == 4  # one by the names of before, then all three
    assert query("SELECT DISTINCT version, sentence_count FROM article_scan WHERE kind = 'entities'") == [
        (version_now(), 1)
    ]


def test_a_topic_that_wants_no_entities_shows_none(tagged: Path) -> None:
    def shown() -> int:
        view = reading_view(1, "Ada")
        return len(view["entity_links"]) + sum(len(paragraph["entities"]) for paragraph in view["paragraphs"])

    assert shown() > 0
    use_topic(shipped("clinical_trial_findings").text, by="Ada", source="trials")
    assert shown() == 0
    assert run_job("entities", {}) == {"articles_recognised": 0}


def test_articles_that_were_done_stay_done_when_the_work_is_cut_short(
    few_genes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tagging, "BATCH_ARTICLES", 2)
    store(*(paper(TEXT, pmid=str(number)) for number in range(1, 6)))
    seen: list[int] = []
    assert tag_articles(progress=lambda done, total: seen.append(done), cancelled=lambda: 2 in seen) == 2
    assert tag_articles() == 3


def test_an_article_without_text_is_left_alone(few_genes: Path) -> None:
    store(paper((), pmid="1"))
    assert tag_articles() == 0


@pytest.mark.postgresql
def test_proposals_name_their_sentences_and_are_no_labels(tagged: Path) -> None:
    with read() as session:
        found = offered(session, 1)
        assert labels_of(session, [1])[1].of("gene") == {}
        best = {kind: next(one for one in found if one.kind == kind) for kind in ("gene", "cell", "edit")}
        assert sure_ones(found, labels_of(session, [1])[1])
    assert (best["gene"].name, best["gene"].identifiers) == ("TP53", ("7157",))
    assert best["gene"].sentences[0] == 1 and best["edit"].name == "KO"
    assert best["cell"].name == "HeLa" and 0 < best["cell"].probability <= 1


def test_a_confirmed_proposal_is_a_label_with_identifier_and_synonyms(tagged: Path) -> None:
    with read() as session:
        gene = next(one.id for one in offered(session, 1) if one.kind == "gene")
    labels = confirm(1, [gene])
    assert set(labels.of("gene")) == {"TP53"} and "p53" in labels.of("gene")["TP53"]
    with read() as session:
        stored = labels_of(session, [1])[1]
        assert stored.identifiers == {"TP53": ("7157",)}
        assert all(one.name != "TP53" for one in offered(session, 1))
    judge("Anna", 1, verdict(1, "accept"))
    with read() as session:
        (row,) = gold_rows(session)
    assert (row["genes"], row["gene_identifiers"], row["cell_identifiers"]) == ("TP53", "7157", "")


def test_names_that_stay_keep_their_identifiers_when_labels_are_typed(tagged: Path) -> None:
    confirm(1, [one.id for one in look_up(offered, 1) if one.name == "TP53"])
    store_labels(1, gene_labels("TP53|p53; BRCA1", "", "KO"))
    with read() as session:
        assert labels_of(session, [1])[1].identifiers == {"TP53": ("7157",)}
    store_labels(1, gene_labels("BRCA1", "", "KO"))
    with read() as session:
        assert labels_of(session, [1])[1].identifiers == {}


def test_recognising_anew_leaves_confirmed_labels_alone(tagged: Path, tmp_path: Path) -> None:
    before = look_up(labels_of, [1])[1]
    confirm(1, sure_ones(look_up(offered, 1), before))
    path = tmp_path / "types.tsv"
    path.write_text("id\tname\tsynonyms\nCL:9999999\tsome cell\t\n")
    load_vocabulary(path)
    tag_articles()
    with read() as session:
        after = labels_of(session, [1])[1]
    assert before.of("gene") == {} and (set(after.of("gene")), set(after.of("edit"))) == ({"TP53"}, {"KO"})


def test_a_proposal_that_is_gone_is_told(tagged: Path) -> None:
    with pytest.raises(NoSuchProposal, match="open the article again"):
        confirm(1, [999])


def test_the_reader_gets_entities_with_titles_and_links(tagged: Path) -> None:
    reading = reading_view(1, "Anna")
    found = [entity for paragraph in reading["paragraphs"] for entity in paragraph["entities"]]
    assert [0, 4, "gene", "gene:7157"] in found
    link = reading["entity_links"]["gene:7157"]
    assert link == {"title": "TP53 · NCBI Gene 7157", "url": "https://www.ncbi.nlm.nih.gov/gene/7157"}


@pytest.mark.parametrize(
    ("kind", "identifier"),
    [("gene", "7157/../x"), ("gene", "javascript:alert(1)"), ("cell_line", "CVCL_1?x"), ("cell_type", "<b>")],
)
def test_an_identifier_of_another_shape_leads_nowhere(kind: str, identifier: str) -> None:
    assert link_of(kind, identifier) == ""


def test_what_is_proposed_as_the_edited_gene_is_coloured_in_the_text_wherever_it_stands(few_genes: Path) -> None:
    text = "NtXyz7 is in leaves. Knockout of NtXyz7 by CRISPR changed BRCA1. NtXyz7 rose, circ-BRCA1 fell."
    store(paper(tuple(f"{part.rstrip('.')}." for part in text.split(". ")), pmid="1", title="On leaves"))
    tag_articles()
    with read() as session:
        proposed = {one.name for one in offered(session, 1) if one.kind == "gene"}
        found = {one.name for one in db.entities.label_proposals(session, 1) if one.kind == "gene"}
    (paragraph,) = reading_view(1, "Anna")["paragraphs"]
    coloured = [paragraph["text"][start:end] for start, end, kind, _ in paragraph["entities"] if kind == "gene"]
    assert proposed and found <= set(coloured) and proposed <= set(coloured)
    assert coloured == ["NtXyz7", "NtXyz7", "BRCA1", "NtXyz7", "circ-BRCA1"]
    linked = {paragraph["text"][start:end] for start, end, _, name in paragraph["entities"] if name}
    assert linked == {"BRCA1"}  # its circular RNA is another gene
