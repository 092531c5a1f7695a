"""The map of vectors that Keyline brings: what it was learnt from, and under which licences."""

import re
from importlib.resources import files
from pathlib import Path

from safetensors import safe_open

from annotate.related.maps import SHIPPED, read_map

FOLDER = Path(str(files("annotate.related") / "shipped"))
KEYS_OF_AN_ARTICLE = 2  # its PMID and its PMCID


def test_every_map_that_comes_along_tells_its_articles_all_under_licences_that_leave_its_use_free() -> None:
    for path in FOLDER.glob("*.safetensors"):
        with safe_open(str(path), framework="numpy") as file:
            told = file.metadata()["learnt_from"]
        found = re.search(r"lists of ([\d,]+) .* all under CC0 or CC BY \(([\d,]+) CC0, ([\d,]+) CC BY\)$", told)
        assert found, told
        count, of_cc0, of_cc_by = (int(number.replace(",", "")) for number in found.groups())
        assert count == of_cc0 + of_cc_by == len(read_map(SHIPPED, path).learnt_from) / KEYS_OF_AN_ARTICLE
