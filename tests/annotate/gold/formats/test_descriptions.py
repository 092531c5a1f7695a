"""What zips of gold say of themselves: true of their files and rows, and valid to the validators of both formats."""

import csv
import hashlib
import io
import json
import subprocess
import zipfile
from pathlib import Path

import pytest

from annotate.gold.descriptions import CRATE, CROISSANT, licences_of
from annotate.gold.export_file import as_zip, export
from annotate.gold.formats.export import DOCUMENT_FORMATS, ZIP
from annotate.gold.rows import gold_columns, gold_rows
from annotate.gold.snapshots import export_snapshot, freeze
from annotate.project.home import read
from annotate.topics.label_columns import FIXED, about_column
from tests.annotate.gold.formats.conftest import KEY, ODD
from tests.support.paths import ROOT
from tests.support.topics import TOPIC

CHECKERS = ROOT / ".venv" / "checkers" / "bin" / "python"
ZIPS = sorted(name for name, form in DOCUMENT_FORMATS.items() if form.media == ZIP)


def unzipped(content: bytes, folder: Path) -> Path:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)
    return folder


def described(folder: Path) -> tuple[dict, list[dict]]:
    return json.loads((folder / CROISSANT).read_text()), json.loads((folder / CRATE).read_text())["@graph"]


def test_a_zip_tells_its_files_people_licences_and_columns(documents, tmp_path):
    export(tmp_path / "gold.zip")
    folder = unzipped((tmp_path / "gold.zip").read_bytes(), tmp_path / "gold")
    croissant, crate = described(folder)
    data = {"gold.csv", "gold.jsonl"}
    assert {path.name for path in folder.iterdir()} == data | {CROISSANT, CRATE}
    for told in (croissant["distribution"], [one for one in crate if one["@type"] == "File"]):
        assert {one["name"]: one["sha256"] for one in told} == {
            name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in data
        }
    (rows,) = croissant["recordSet"]
    assert {one["name"]: one["description"] for one in rows["field"]} == {
        name: about_column(name) for name in gold_columns(TOPIC)
    }
    people, root = [one for one in crate if one["@type"] == "Person"], next(one for one in crate if one["@id"] == "./")
    assert [one["name"] for one in croissant["creator"]] == [one["name"] for one in people] == ["Anna", "Ben"]
    assert "4 labelled sentences of 2 articles" in root["description"] == croissant["description"]
    assert croissant["license"].endswith("under their licences: 1 CC BY 4.0, 1 not stated.")
    with read() as session:
        days = {row["time"][:10] for row in gold_rows(session)}
    assert root["datePublished"] == max(days)


def test_every_column_is_described():
    assert all(about_column(name) for name in FIXED) and len({*FIXED.values()}) == len(FIXED)
    assert about_column("genes").startswith("What the sentence names as genes")
    assert about_column("gene_identifiers").startswith("Confirmed identifiers of the gene names")
    assert about_column("text") == FIXED["sentence"]


def test_a_snapshot_is_zipped_to_the_same_bytes_whenever_it_is_asked_for(documents, tmp_path):
    freeze("Gold of March", "majority")
    for name in ("one.zip", "other.zip"):
        export_snapshot(tmp_path / name, "Gold of March")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "other.zip").read_bytes()
    summary = json.loads((tmp_path / "one.zip.manifest.json").read_text())
    lines = (unzipped((tmp_path / "one.zip").read_bytes(), tmp_path) / "gold.jsonl").read_bytes()
    assert hashlib.sha256(lines).hexdigest() == summary["sha256"]


def test_rows_of_early_snapshots_are_described_without_the_columns_that_came_later(tmp_path):
    said = {"label": "1", "annotators": "Anna", "time": "2025-03-01T00:00:00Z", "title": "T"}
    rows = [{"pmid": "7", "licence": "CC0", **said}, {"pmid": "7", "licence": "CC0", **said}, {"pmid": "", **said}]
    assert licences_of(rows) == {"CC0": 1, "not stated": 1}
    croissant, _ = described(unzipped(as_zip(rows, ("pmid", *said)), tmp_path))
    assert [one["name"] for one in croissant["creator"]] == ["Anna"] and croissant["version"] == "2025.3.1"


@pytest.mark.skipif(not CHECKERS.exists(), reason="the validators are not installed: make .venv/checkers/ready")
def test_the_validators_of_both_formats_find_no_error_and_load_the_rows_of_the_csv(documents, tmp_path):
    with read() as session:
        columns, rows = gold_columns(TOPIC), gold_rows(session)
    made = {name: DOCUMENT_FORMATS[name].make(documents) for name in ZIPS}
    made |= {"gold": as_zip(rows, columns), "empty": as_zip([], columns)}
    folders = {name: unzipped(content, tmp_path / name) for name, content in made.items()}
    program = ROOT / "tests" / "support" / "checkers" / "check.py"
    command = [str(CHECKERS), str(program), *map(str, folders.values())]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path).stdout)
    for name, folder in folders.items():
        found = told[str(folder)]
        assert found["croissant"]["errors"] == [], name
        assert found["crate"]["issues"] == [], name
        files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        assert {*found["crate"]["files"]} == files - {CROISSANT, CRATE}
    loaded = told[str(folders["gold"])]["croissant"]["rows"]["gold"]
    with (folders["gold"] / "gold.csv").open(encoding="utf-8", newline="") as file:
        assert [{name: str(cell) for name, cell in row.items()} for row in loaded] == list(csv.DictReader(file))
    assert {row["sentence"] for row in loaded} == {ODD, KEY, "A\nB <c>"}
    dataset = told[str(folders["dataset"])]["croissant"]["rows"]
    assert sorted(row["text"] for of_one in dataset.values() for row in of_one) == sorted(r["sentence"] for r in rows)
