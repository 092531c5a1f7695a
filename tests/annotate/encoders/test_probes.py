"""What the probes make of sentences, and the cosines that they tell."""

import numpy as np

from annotate.capabilities.entities import CAPABILITY
from annotate.encoders import probes
from annotate.entities import vocabularies
from model.entities.kinds import Entry
from model.entities.lexicon import Lexicon
from tests.support.making import paper, store

GENES = Lexicon.build([Entry("7157", "TP53", ("P53", "LFS1")), Entry("1", "A1BG")])


class Lengths:
    """Vectors in which only the number of words counts."""

    def of(self, texts, progress=lambda done, total: None, side=None):
        angles = np.array([len(text.split()) / 10 for text in texts])
        return np.column_stack([np.cos(angles), np.sin(angles)])


def test_stop_words_go_and_what_they_are_about_stays():
    assert probes.without_stop_words("The gene was cut by the enzyme.") == "gene cut enzyme."


def test_mean_and_worst_cosine_are_told_with_the_worst_pair(monkeypatch):
    monkeypatch.setattr(vocabularies, "lexicon_of", lambda vocabulary: GENES)
    more = CAPABILITY.rewritings
    texts = [
        "We cut gene TP53 here.",
        "Wild type (WT) cells grew.",
        "WT cells were of the usual kind and of that size.",
    ]
    found = probes.probe(Lengths(), texts, more)
    assert {name: one["pairs"] for name, one in found.items()} == {
        "stop_words": 2,
        "abbreviations": 1,
        "gene_synonyms": 1,
    }
    assert found["gene_synonyms"]["mean"] == found["gene_synonyms"]["worst"] == 1
    assert found["abbreviations"]["worst_pair"][1].startswith("Wild type cells were")
    assert found["stop_words"]["worst"] < found["stop_words"]["mean"] < 1
    assert probes.probe(Lengths(), [], more)["stop_words"] == {"pairs": 0}


def test_sentences_are_those_of_stored_articles_of_usual_length(home):
    long = "This sentence of an article is of a usual length, as most are."
    store(paper(("Short.", long, long), pmid="1"))
    assert probes.project_sentences() == [long]
