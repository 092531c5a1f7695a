"""The types of entities."""

from enum import StrEnum


class EntityType(StrEnum):
    """What a mention names. The words are those of the corpora (BioRED, BioID, CRAFT)."""

    GENE = "gene"
    CELL_LINE = "cell_line"
    CELL_TYPE = "cell_type"
    ORGANISM = "organism"
