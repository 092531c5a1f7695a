"""The types of entities."""

from enum import StrEnum


class EntityType(StrEnum):
    """What a mention names. The words are the corpora's (BioRED, BioID, CRAFT)."""

    GENE = "gene"
    CELL_LINE = "cell_line"
    CELL_TYPE = "cell_type"
    ORGANISM = "organism"
