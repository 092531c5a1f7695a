"""What a tagger found, put right at brackets and where the same symbol stands again."""

import pytest

from model.entities.kinds import Mention
from model.entities.recogniser import parted, repeated
from model.entity_types import EntityType


def names(text: str, *known: str) -> list[tuple[int, str]]:
    """What is found besides the first place of each known name."""
    mentions = [Mention(text.index(name), text.index(name) + len(name), EntityType.GENE, (), 0.9) for name in known]
    found = repeated(text, mentions)
    assert all(mention.probability == 0.9 for mention in found)
    return [(mention.start, text[mention.start : mention.end]) for mention in found]


def test_a_symbol_is_a_gene_wherever_it_stands_as_a_word() -> None:
    text = "A20 loss, siA20 in A205 cells."
    assert names(text, "A20") == [(text.index("siA20") + 2, "A20")]


def test_words_and_long_names_are_left_to_the_tagger() -> None:
    assert names("raptor or a raptor; beta actin or beta actin", "raptor", "beta actin") == []


def test_what_is_a_gene_in_few_of_its_places_is_one_nowhere_else() -> None:
    assert names("AC is one. AC and AC were power.", "AC") == []


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("cytochrome P450 (CYP", ["cytochrome P450", "CYP"]),
        ("TGFβ) receptor", ["TGFβ", "receptor"]),
        ("interleukin (IL)-6", ["interleukin (IL)-6"]),
        ("(1", []),
    ],
)
def test_a_name_with_half_a_pair_of_brackets_is_parted_there(written: str, names: list[str]) -> None:
    text = f"The {written}."
    found = parted(text, Mention(4, 4 + len(written), EntityType.GENE, (), 0.7))
    assert [text[mention.start : mention.end] for mention in found] == names
    assert all(mention.probability == 0.7 for mention in found)
