"""The lexicon finds all names of a text, keeps what they belong to, and reads nothing but what it wrote."""

from pathlib import Path

import pytest

from model.entities.kinds import Entry
from model.entities.lexicon import MOST_ENTRIES, BadLexicon, Lexicon
from model.entity_types import EntityType
from model.names import fold
from tests.support.entities import GENES, small_lexicons


def found(lexicon: Lexicon, text: str) -> set[str]:
    return {text[start:end] for start, end, _ in lexicon.find(fold(text))}


def test_names_are_found_whole_in_any_spelling() -> None:
    lexicon = Lexicon.build(GENES)
    text = "Interleukin-2 and TGF-β1; impact of trp53 on IL-21"
    assert found(lexicon, text) == {"Interleukin-2", "TGF-β1", "trp53"}


def test_a_name_tells_its_entries_with_rank_and_spelling() -> None:
    lexicon = Lexicon.build(GENES)
    key = lexicon.key_of("p53")
    assert key is not None
    assert {(lexicon.identifier(name.row), name.rank, name.spelling) for name in lexicon.names(key)} == {
        ("7157", 1, "p53"), ("22059", 1, "p53"),
    }  # fmt: skip


def test_an_entry_is_found_by_its_identifier() -> None:
    lexicon = Lexicon.build(GENES)
    assert lexicon.by_identifier("672") == GENES[2]
    assert lexicon.by_identifier("67") is None
    assert lexicon.organisms() == {"9606", "10090"}


def test_names_that_say_nothing_are_left_out() -> None:
    many = [Entry(str(number), f"G{number}X", ("hypothetical",)) for number in range(MOST_ENTRIES + 1)]
    lexicon = Lexicon.build([*many, Entry("1", "A", ("12", "x" * 200))])
    assert lexicon.key_of("hypothetical") is None
    assert lexicon.key_of("a") is None and lexicon.key_of("12") is None
    assert lexicon.key_of("x" * 200) is None and lexicon.key_of("g0x") is not None


def test_an_empty_lexicon_finds_nothing() -> None:
    assert found(Lexicon.build([]), "TP53 and all else ||| here") == set()


def test_a_saved_lexicon_is_the_same_when_it_is_read(tmp_path: Path) -> None:
    before = Lexicon.build(GENES)
    before.save(tmp_path)
    after = Lexicon.load(tmp_path)
    text = "TP53, interleukin 2 and Foxq1-/-"
    assert found(after, text) == found(before, text) == {"TP53", "interleukin 2", "Foxq1"}
    assert [after.entry(row) for row in range(len(after))] == GENES


@pytest.mark.parametrize("name", ["automaton", "entries", "spellings", "lengths", "lexicon.json"])
def test_a_damaged_file_is_refused(tmp_path: Path, name: str) -> None:
    Lexicon.build(GENES).save(tmp_path)
    content = bytearray((tmp_path / name).read_bytes())
    content[len(content) // 2] ^= 0xFF
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadLexicon):
        Lexicon.load(tmp_path)


def test_a_missing_lexicon_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadLexicon, match="cannot be read"):
        Lexicon.load(tmp_path)


def test_each_kind_of_the_tests_has_a_lexicon() -> None:
    assert set(small_lexicons()) == set(EntityType)
