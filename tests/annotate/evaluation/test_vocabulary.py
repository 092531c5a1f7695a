"""The vocabulary table, with a tokenizer of forty words."""

from annotate.evaluation.vocabulary import label_terms, vocabulary
from annotate.project.home import read, write
from annotate.project.rights import Right
from tests.support.labels import gene_labels, set_labels
from tests.support.making import paper, store


def test_terms_are_the_names_and_synonyms_of_all_labels_once(home):
    store(paper(pmid="1"), paper(pmid="2"))
    with write(Right.SYSTEM) as session:
        set_labels(session, 1, gene_labels("TP53|p53; KRAS", "HeLa", "KO"))
        set_labels(session, 2, gene_labels("TP53", "HEK293T|293T cells", ""))
    with read() as session:
        assert label_terms(session) == {
            "gene": ["KRAS", "TP53", "p53"],
            "cell": ["293T cells", "HEK293T", "HeLa"],
        }


def test_tokens_are_counted_by_the_versions_own_tokenizer(tiny_encoder):
    # Known words: tp53, hela, cell; "xyz" is unknown, one token that is not counted as one.
    both = vocabulary(tiny_encoder, {"gene": ["TP53", "xyz"], "cell": ["HeLa cell"]})
    assert [row["kind"] for row in both] == ["gene", "cell", "both"]
    gene, cell, every = both
    assert (gene["terms"], gene["one_token"], gene["tokens_a_term"], gene["with_unknown"]) == (2, 1, 1.0, 1)
    assert (cell["terms"], cell["one_token"], cell["tokens_a_term"], cell["with_unknown"]) == (1, 0, 2.0, 0)
    assert (every["terms"], every["one_token"], every["tokens_a_term"]) == (3, 1, 4 / 3)


def test_without_terms_or_tokenizer_there_is_nothing_to_average(tiny_encoder, tmp_path):
    assert vocabulary(tiny_encoder, {"gene": [], "cell": []})[2]["tokens_a_term"] is None
    assert vocabulary(tmp_path, {"gene": ["TP53"], "cell": []}) == []
