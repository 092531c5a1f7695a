"""Vocabularies of the data folder: swapped whole or not at all, versioned, merged with the embedded ones."""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from annotate.entities import vocabularies
from annotate.entities.loaders import BadVocabulary
from annotate.entities.vocabularies import (
    described,
    entries_now,
    lexicon_of,
    load_vocabulary,
    loaded_tables,
    remove_tables,
    root,
    version_of,
)
from annotate.entities.vocabulary_files import embedded_entries
from annotate.project.whole_files import LOOK_AGAIN_SECONDS, locked
from annotate.topics.vocabularies import Vocabulary, vocabulary_named

HEADER = "gene_id\tsymbol\tauthority_id\ttype\tname\tsynonyms\n"


def genes(path: Path, *rows: str) -> Path:
    path.write_text(HEADER + "".join(f"{row}\n" for row in rows))
    return path


def test_a_loaded_table_replaces_the_embedded_genes_of_its_organisms(few_genes: Path, tmp_path: Path) -> None:
    before = version_of(Vocabulary.GENES)
    told = load_vocabulary(genes(tmp_path / "human.tsv", "7157\tTP53\tHGNC:11998\tprotein-coding\ttumor\tp53x"))
    assert (told["entries"], told["organisms"], told["version"], told["left_out"]) == (1, ("9606",), "not told", 0)
    names = {entry.identifier: entry for entry in entries_now(Vocabulary.GENES)}
    assert "672" not in names and names["7157"].synonyms == ("tumor", "p53x")
    assert names["22059"].name == "Trp53"  # of mouse, which the table does not hold
    assert version_of(Vocabulary.GENES) != before
    assert lexicon_of(Vocabulary.GENES).key_of("p53x") is not None


def test_the_same_table_loaded_anew_takes_the_place_of_the_one_before(few_genes: Path, tmp_path: Path) -> None:
    for name in ("A1", "A2"):
        load_vocabulary(genes(tmp_path / f"{name}.tsv", f"1\t{name}\tHGNC:5\tprotein-coding\tx\t"))
    assert [table.source for table in loaded_tables()] == ["A2.tsv"]
    assert len(list(root().glob("genes-*.tsv.gz"))) == 1


def test_a_refused_file_changes_nothing(few_genes: Path, tmp_path: Path) -> None:
    load_vocabulary(genes(tmp_path / "good.tsv", "1\tA1\tHGNC:5\tprotein-coding\tx\t"))
    before = version_of(Vocabulary.GENES), sorted(path.name for path in root().iterdir())
    with pytest.raises(BadVocabulary):
        load_vocabulary(genes(tmp_path / "bad.tsv", *["nonsense"] * 20))
    assert (version_of(Vocabulary.GENES), sorted(path.name for path in root().iterdir())) == before


def test_a_cancelled_load_changes_nothing(few_genes: Path, tmp_path: Path) -> None:
    path = genes(tmp_path / "good.tsv", "1\tA1\tHGNC:5\tprotein-coding\tx\t")
    assert load_vocabulary(path, cancelled=lambda: True) == {"cancelled": True}
    assert loaded_tables() == [] and list(root().glob(".*")) == []


def test_removing_tables_goes_back_to_what_is_embedded(few_genes: Path, tmp_path: Path) -> None:
    before = version_of(Vocabulary.GENES)
    load_vocabulary(genes(tmp_path / "good.tsv", "1\tA1\tHGNC:5\tprotein-coding\tx\t"))
    assert remove_tables(Vocabulary.GENES) == 1
    assert version_of(Vocabulary.GENES) == before and list(root().glob("genes-*")) == []


def test_a_lexicon_is_compiled_once_and_again_when_its_files_are_damaged(few_genes: Path) -> None:
    lexicon_of(Vocabulary.GENES)
    (folder,) = root().glob("compiled-genes-*")
    first = (folder / "automaton").stat().st_mtime_ns
    from annotate.entities import vocabularies

    vocabularies._lexicon.cache_clear()
    lexicon_of(Vocabulary.GENES)
    assert (folder / "automaton").stat().st_mtime_ns == first
    (folder / "automaton").write_bytes(b"damaged")
    vocabularies._lexicon.cache_clear()
    assert lexicon_of(Vocabulary.GENES).key_of("tp53") is not None
    assert (folder / "automaton").stat().st_size > 10


def test_plurals_of_cell_types_are_names(few_genes: Path) -> None:
    assert lexicon_of(Vocabulary.CELL_TYPES).key_of("fibroblasts") is not None


def test_what_there_is_is_described_with_versions_and_hashes(few_genes: Path) -> None:
    shown = {row["vocabulary"]: row for row in described()}
    assert set(shown) == set(Vocabulary)
    for row in shown.values():
        (table,) = row["tables"]
        assert table["source"] == "embedded" and len(table["sha256"]) == 64 and len(row["version"]) == 12
    assert "goatools 1.6.7" in shown["genes"]["tables"][0]["version"]


@pytest.mark.parametrize("vocabulary", [v for v in Vocabulary if v is not Vocabulary.GENES])
def test_the_lists_of_our_own_hold_each_identifier_once(vocabulary: Vocabulary) -> None:
    entries = list(embedded_entries(vocabulary))
    assert len(entries) > 50
    assert len({entry.identifier for entry in entries}) == len(entries)
    beginnings = {Vocabulary.CELL_LINES: "CVCL_", Vocabulary.CELL_TYPES: "CL:", Vocabulary.ORGANISMS: ""}
    assert all(entry.identifier.startswith(beginnings[vocabulary]) for entry in entries)


def test_the_embedded_genes_are_those_of_three_organisms() -> None:
    counts: dict[str, int] = {}
    found = {}
    for entry in embedded_entries(Vocabulary.GENES):
        counts[entry.organism] = counts.get(entry.organism, 0) + 1
        if entry.identifier in ("7157", "22059"):
            found[entry.identifier] = entry
    assert set(counts) == {"9606", "10090", "7227"} and min(counts.values()) > 10_000
    assert found["7157"].name == "TP53" and "P53" in found["7157"].synonyms
    assert found["22059"].name == "Trp53"


def test_another_word_is_no_vocabulary() -> None:
    with pytest.raises(ValueError, match="'gens'"):
        vocabulary_named("gens")


def test_loads_at_once_take_turns_and_none_is_lost(home: Path, tmp_path: Path, monkeypatch) -> None:
    """Without the turns both read the list before either wrote it, and the first table was gone."""
    paths = [tmp_path / "types.tsv", tmp_path / "organisms.tsv"]
    paths[0].write_text("id\tname\tsynonyms\nCL:0000001\tfirst cell\t\n")
    paths[1].write_text("taxon\tname\tsynonyms\n9606\thuman\t\n")
    keep, inside = vocabularies._keep, Counter[str]()

    def slow(tables: list[vocabularies.Table]) -> None:
        inside["now"] += 1
        inside["most"] = max(inside["most"], inside["now"])
        time.sleep(LOOK_AGAIN_SECONDS)
        keep(tables)
        inside["now"] -= 1

    monkeypatch.setattr(vocabularies, "_keep", slow)
    with ThreadPoolExecutor() as pool:
        loaded = list(pool.map(load_vocabulary, paths))
    assert inside["most"] == 1
    assert {row.vocabulary for row in loaded_tables()} == {row["vocabulary"] for row in loaded} and len(loaded) == 2


def test_whoever_waits_for_another_load_may_be_cancelled(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "types.tsv"
    path.write_text("id\tname\tsynonyms\nCL:0000001\tfirst cell\t\n")
    with locked(root()):
        assert load_vocabulary(path, cancelled=lambda: True) == {"cancelled": True}
    assert loaded_tables() == []


def test_what_a_killed_load_left_is_cleared_by_the_next(home: Path, tmp_path: Path) -> None:
    left = vocabularies.root() / f"{vocabularies.LOADING}killed"
    left.mkdir()
    (left / "table").write_text("half of it")
    path = tmp_path / "types.tsv"
    path.write_text("id\tname\tsynonyms\nCL:0000001\tfirst cell\t\n")
    load_vocabulary(path)
    assert not left.exists() and len(loaded_tables()) == 1
