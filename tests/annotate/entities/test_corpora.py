"""Labelled corpora in each format; a wrong one is refused with file, place and reason."""

import gzip
import json
from pathlib import Path

import pytest

from annotate.entities.corpora import Document, Marking, identifiers_of, read_corpus, type_of
from annotate.project.files.packed_lines import UnreadableFile

TEXT = "TP53 in mice"
WANTED = Document("1", TEXT, (Marking(0, 4, "gene", ("7157", "22059")), Marking(8, 12, "organism", ("10090",))))
JSON_LINE = json.dumps(
    {"id": "1", "text": TEXT, "mentions": [[0, 4, "gene", "7157;22059"], [8, 12, "organism", "10090"]]}
)
PUBTATOR = "1|t|TP53 in\n1|a|mice\n1\t0\t4\tTP53\tGeneOrGeneProduct\t7157,22059\n1\t8\t12\tmice\tSpecies\t10090\n\n"
ANNOTATIONS = [
    {"infons": {"type": "Gene", "identifier": "7157;22059"}, "locations": [{"offset": 0, "length": 4}]},
    {"infons": {"type": "Species", "NCBI Taxonomy": "10090"}, "locations": [{"offset": 8, "length": 4}]},
]
BIOC_JSON = json.dumps(
    {
        "documents": [
            {
                "id": "1",
                "passages": [
                    {"offset": 0, "text": "TP53 in", "annotations": ANNOTATIONS[:1]},
                    {"offset": 8, "text": "mice", "annotations": ANNOTATIONS[1:]},
                ],
            }
        ]
    }
)
BIOC_XML = """<?xml version="1.0"?><collection><document><id>1</id>
<passage><offset>0</offset><text>TP53 in</text><annotation id="a"><infon key="type">Gene</infon>
<infon key="identifier">7157;22059</infon><location offset="0" length="4"/><text>TP53</text></annotation></passage>
<passage><offset>8</offset><text>mice</text><annotation id="b"><infon key="type">Species</infon>
<infon key="identifier">10090</infon><location offset="8" length="4"/><text>mice</text></annotation></passage>
</document></collection>"""
FILES = {"lines.jsonl": JSON_LINE, "a.pubtator": PUBTATOR, "bioc.json": BIOC_JSON, "bioc.xml": BIOC_XML}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", FILES)
def test_a_corpus_is_read_in_each_format(tmp_path: Path, name: str, packed: bool) -> None:
    path = tmp_path / (f"{name}.gz" if packed else name)
    content = FILES[name].encode()
    path.write_bytes(gzip.compress(content) if packed else content)
    (document,) = read_corpus(path)
    assert (document.id, document.text, document.mentions) == (WANTED.id, WANTED.text, WANTED.mentions)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("something else", "neither JSON lines nor PubTator nor BioC"),
        ('{"id": "1", "text": "TP53"}', "line 1"),
        ('{"id": "1", "text": "TP53", "mentions": [[0, 9, "gene"]]}', "not within its text"),
        ('{"id": "1", "text": 5, "mentions": []}', "no text"),
        ('{"id": "1", "text": ', "."),
        ("<collection><document><id>1</id>", "damaged or cut"),
        ('{"documents": [{"id": "1"}]}', "cannot be read"),
        ("1|t|a\n1|a|b\n1\t0\t99\tx\tGene\t1\n", "not within"),
    ],
)
def test_a_wrong_corpus_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text(text)
    with pytest.raises(UnreadableFile, match=reason) as refused:
        read_corpus(path)
    assert "corpus.txt" in str(refused.value)


def test_a_cut_corpus_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.jsonl.gz"
    path.write_bytes(
        gzip.compress("\n".join(JSON_LINE.replace("mice", f"m{n:03}") for n in range(999)).encode())[:-900]
    )
    with pytest.raises(UnreadableFile, match="damaged or cut"):
        read_corpus(path)


def test_types_and_identifiers_have_one_way_to_be_written() -> None:
    assert [type_of(name) for name in ("GeneOrGeneProduct", "CellLine", "OrganismTaxon", "Chemical")] == [
        "gene", "cell_line", "organism", "chemical",
    ]  # fmt: skip
    assert identifiers_of("NCBI Gene:7157, 22059;-|7157") == ("7157", "22059")
    assert identifiers_of("NCBITaxon:9606") == ("9606",) and identifiers_of("-") == ()


def test_an_empty_file_is_called_empty(tmp_path):
    (tmp_path / "none.jsonl").write_text("\n")
    with pytest.raises(UnreadableFile, match=r"none\.jsonl cannot be read: it is empty"):
        list(read_corpus(tmp_path / "none.jsonl"))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.pubtator", PUBTATOR),
        ("bioc.json", BIOC_JSON.replace('"text": "TP53 in"', '"infons": {"type": "title"}, "text": "TP53 in"')),
        ("bioc.xml", BIOC_XML.replace("<offset>0</offset>", '<infon key="type">title</infon><offset>0</offset>')),
    ],
)
def test_the_title_ends_where_its_passage_does(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    assert [document.title_end for document in read_corpus(tmp_path / name)] == [len("TP53 in")]


def test_a_relation_of_pubtator_is_no_mention_and_a_mention_that_stands_twice_is_one(tmp_path: Path) -> None:
    lines = PUBTATOR.strip() + "\n1\tAssociation\t7157\t22059\tNovel\n"
    (tmp_path / "a.pubtator").write_text(lines * 2)
    (document,) = read_corpus(tmp_path / "a.pubtator")
    assert (document.text, document.mentions) == (WANTED.text, WANTED.mentions)
