"""A small judged collection: what answers a question shares its gene."""

import json
from pathlib import Path

GENES = ("tp53", "kras", "egfr", "brca1", "myc")
CELLS = ("hela", "a549", "hek293t")


def write_collection(folder: Path) -> dict[str, Path]:
    """Files of 15 documents, 5 questions with the facets gene and cell, and their judgements; by the names of the
    command's options."""
    folder.mkdir(parents=True, exist_ok=True)
    documents = [
        {
            "id": f"{gene}-{cell}",
            "title": f"Knockout of {gene.upper()}",
            "text": f"Here we deleted {gene} in {cell} cells. Growth was measured.",
            "mesh": ["D009369:Neoplasms"] if cell == "hela" else [],
        }
        for gene in GENES
        for cell in CELLS
    ]
    questions = [{"id": gene, "gene": gene, "cell": "hela"} for gene in GENES]
    judgements = [f"{gene}\t{gene}-{cell}\t{2 if cell == 'hela' else 1}" for gene in GENES for cell in CELLS]
    found = {"docs": folder / "docs.jsonl", "queries": folder / "queries.jsonl", "qrels": folder / "qrels.tsv"}
    found["docs"].write_text("".join(f"{json.dumps(each)}\n" for each in documents))
    found["queries"].write_text("".join(f"{json.dumps(each)}\n" for each in questions))
    found["qrels"].write_text("".join(f"{line}\n" for line in judgements))
    return found


def options(files: dict[str, Path]) -> list[str]:
    """The files as a command takes them."""
    return [part for name, path in files.items() for part in (f"--{name}", str(path))]
