"""Has the validators of Croissant and of RO-Crate judge folders of gold, and prints what they said as JSON.

python check.py FOLDER ...

Runs in an environment of its own (requirements.txt next to this file): the validators want other packages than Keyline.
Nothing is asked of the network: the context of RO-Crate comes from the package of its own library.
"""

import json
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import mlcroissant
import requests
from rocrate.rocrate import ROCrate
from rocrate_validator import models, services
from rocrate_validator.utils.http import HttpRequester

CONTEXT = (files("rocrate") / "data" / "ro-crate.jsonld").read_bytes()


def answered(_: HttpRequester, url: str, **__: Any) -> requests.Response:
    """The context, and nothing else."""
    response = requests.Response()
    response.status_code = 200 if url == json.loads(CONTEXT)["@id"] else 404
    response._content, response.headers["Content-Type"] = CONTEXT, "application/ld+json"
    return response


def croissant(folder: Path) -> dict[str, Any]:
    """What mlcroissant finds wrong, and the rows that it loads, by record set."""
    dataset = mlcroissant.Dataset(folder / "croissant.json")
    rows = {
        one.uuid: [
            {name.partition("/")[2]: told(value) for name, value in row.items()} for row in dataset.records(one.uuid)
        ]
        for one in dataset.metadata.record_sets
    }
    issues = dataset.metadata.ctx.issues
    return {"errors": sorted(issues.errors), "warnings": sorted(issues.warnings), "rows": rows}


def told(value: Any) -> Any:
    """A cell as JSON has it: mlcroissant loads text as bytes."""
    return value.decode() if isinstance(value, bytes) else getattr(value, "item", lambda: value)()


def crate(folder: Path) -> dict[str, Any]:
    """What the validator of RO-Crate finds, and the files that RO-Crate's own library reads of it."""
    wanted = models.Severity.REQUIRED  # what is recommended asks for an ORCID of everybody
    settings = services.ValidationSettings(rocrate_uri=str(folder), requirement_severity=wanted, offline=True)
    result = services.validate(settings)
    issues = [f"{one.severity.name} {one.check.identifier}: {one.message}" for one in result.get_issues()]
    read = ROCrate(folder)
    return {"issues": issues, "files": sorted(one.id for one in read.get_by_type("File")), "name": read.name}


def main() -> None:
    """Judges each folder."""
    HttpRequester.get = answered
    found = {folder: {"croissant": croissant(Path(folder)), "crate": crate(Path(folder))} for folder in sys.argv[1:]}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
