"""A part whose line is gone can be deleted: nothing that is left imports it, and the core works."""

import shutil
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pytest

from annotate.capabilities.chosen import NAMES
from tests.support import core_walk
from tests.support.parts import arrows_into, files_of, without
from tests.support.paths import ROOT

# Each takes six seconds of a processor. The other parts are held by what is left importing none of them.
WALKED = {"core_alone": NAMES, "no_finding_and_no_entities": {*without("finding"), *without("entities")}}


@pytest.mark.parametrize("name", NAMES)
def test_what_is_left_without_a_part_imports_none_of_it(name):
    assert arrows_into(name) == []


@pytest.mark.timeout(900)  # two walks, each of all that the core does
def test_without_parts_articles_are_imported_judged_exported_trained_on_and_backed_up_and_every_page_opens(
    tmp_path, tiny_encoder, migrated_file
):
    for name, gone in WALKED.items():
        _copy_without(gone, tmp_path / name)
    command = [sys.executable, core_walk.__file__, tiny_encoder, migrated_file, *(tmp_path / name for name in WALKED)]
    walked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert walked.stdout.splitlines() == [f"{name} walked" for name in WALKED], walked.stderr[-4_000:]


def _copy_without(parts: Collection[str], product: Path) -> None:
    """A copy of the product without these parts: their lines are gone, and all that is theirs."""
    for room in ("annotate", "db", "model", "pages"):
        shutil.copytree(ROOT / room, product / room)
    chosen = product / "annotate" / "capabilities" / "chosen.py"
    lines = chosen.read_text().splitlines(keepends=True)
    chosen.write_text("".join(line for line in lines if line.strip(' ",\n') not in parts))
    for file in {file for part in parts for file in files_of(part)}:
        (product / file).unlink(missing_ok=True)
        if file.name == "__init__.py":  # with the styles, scripts and templates of the folder
            shutil.rmtree(product / file.parent, ignore_errors=True)
