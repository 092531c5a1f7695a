"""Small vocabularies and labelled texts of our own, for the tests of entities."""

import gzip
import json
from pathlib import Path

from model.entities.kinds import Entry
from model.entities.lexicon import Lexicon
from model.entity_types import EntityType

GENES = [
    Entry("7157", "TP53", ("p53", "LFS1"), ("tumor protein p53",), "9606", "HGNC:11998"),
    Entry("22059", "Trp53", ("p53", "Tp53"), ("transformation related protein 53",), "10090", "MGI:98834"),
    Entry("672", "BRCA1", ("RNF53",), ("BRCA1 DNA repair associated",), "9606", "HGNC:1100"),
    Entry("7538", "ZFP36", ("TTP", "G0S24"), ("tristetraprolin",), "9606"),
    Entry("1200", "TPP1", ("CLN2",), ("tripeptidyl peptidase 1",), "9606"),
    Entry("7454", "WAS", ("IMD2",), ("WASP actin nucleation promoting factor",), "9606"),
    Entry("3558", "IL2", ("IL-2", "TCGF"), ("interleukin 2",), "9606"),
    Entry("7040", "TGFB1", ("CED",), ("transforming growth factor beta 1",), "9606"),
    Entry("4087", "SMAD2", (), ("SMAD family member 2",), "9606"),
    Entry("4088", "SMAD3", (), ("SMAD family member 3",), "9606"),
    Entry("15239", "Foxq1", (), ("forkhead box Q1",), "10090"),
    Entry("8862", "APLN", ("MDA",), ("apelin",), "9606"),
]
LINES = [
    Entry("CVCL_0030", "HeLa", ("Hela",), (), "9606"),
    Entry("CVCL_0045", "HEK293", ("HEK-293", "293"), (), "9606"),
    Entry("CVCL_9115", "MEF", ("MEFs",), (), "10090"),
]
TYPES = [Entry("CL:0000057", "fibroblast", ("fibroblasts",)), Entry("CL:0000235", "macrophage", ("macrophages",))]
ORGANISMS = [
    Entry("9606", "Homo sapiens", ("human", "patients")),
    Entry("10090", "Mus musculus", ("mouse", "mice")),
    Entry("10116", "Rattus norvegicus", ("rat", "rats")),
]


def small_lexicons() -> dict[EntityType, Lexicon]:
    """Lexicons of a dozen genes and a few cells and organisms."""
    return {
        EntityType.GENE: Lexicon.build(GENES),
        EntityType.CELL_LINE: Lexicon.build(LINES),
        EntityType.CELL_TYPE: Lexicon.build(TYPES),
        EntityType.ORGANISM: Lexicon.build(ORGANISMS),
    }


def labelled_texts(count: int) -> list[dict[str, object]]:
    """Texts as JSON lines have them: a made-up gene each, always between the same words."""
    texts = []
    for number in range(count):
        name = f"Abc{number % 40}x"
        text = f"The gene {name} was deleted in mice. PCR of {name} mRNA was normal. Figure {number} shows it."
        places = [text.index(name), text.index(name, 20)]
        mentions = [[place, place + len(name), "gene", str(1000 + number % 40)] for place in places]
        mentions.append([text.index("mice"), text.index("mice") + 4, "organism", "10090"])
        texts.append({"id": str(number), "text": text, "mentions": mentions})
    return texts


def write_corpus(path: Path, texts: list[dict[str, object]]) -> Path:
    """Writes JSON lines compressed by gzip; returns the path."""
    with gzip.open(path, "wt", encoding="utf-8") as stream:
        stream.writelines(json.dumps(text) + "\n" for text in texts)
    return path
