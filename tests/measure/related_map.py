"""Learns and writes the map of vectors that Keyline ships, from articles under CC0 and CC BY alone, in half precision.

    python -m tests.measure.related_map --citing F --docs F --works F [--validation F]

Works in the project of KEYLINE_HOME. Documents tell the `licence` of each article, as its XML has it.
"""

import argparse
import gzip
import json
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

from annotate.proposing.encoder_versions import proposing_version
from annotate.registry.versions import verified_folder, version_named
from annotate.related.maps import FILE, WEIGHTS_FILE
from annotate.work import run_job
from db.values import Kind

PLACE = Path("annotate/related/shipped/all-MiniLM-L6-v2.safetensors")
# Neither asks that what is made from an article is not sold, or is shared under the same terms.
FREE = ("CC0", "CC BY")


def rows(path: Path) -> list[dict[str, object]]:
    """The rows of a file of JSON lines, packed by gzip."""
    with gzip.open(path, "rt") as file:
        return [json.loads(line) for line in file]


def main() -> None:
    """Writes the file; prints its size in bytes, the licences, and what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("citing", "docs", "works", "validation"):
        parser.add_argument(f"--{name}", type=Path, required=name != "validation")
    given = parser.parse_args()
    licences = {row["id"]: row.get("licence") for row in rows(given.docs)}
    free = [row for row in rows(given.citing) if licences.get(row["id"]) in FREE]
    count = Counter(str(licences[row["id"]]) for row in free)
    with tempfile.TemporaryDirectory() as folder:
        citing = Path(folder) / "citing.jsonl"
        citing.write_text("".join(f"{json.dumps(row)}\n" for row in free))
        payload = {"citing": str(citing), "docs": str(given.docs), "works": str(given.works)}
        payload |= {"validation": str(given.validation)} if given.validation else {}
        made = run_job("related-train", payload)
    version = version_named(made["version"], Kind.RELATED)
    found = load_file(str(verified_folder(version) / FILE))
    by_licence = ", ".join(f"{count[name]:,} {name}" for name in FREE)
    told = {
        "encoder": proposing_version().name,
        "encoder_weights_sha256": proposing_version().manifest[WEIGHTS_FILE],
        "learnt_from": f"the reference lists of {version.trained_on['articles']:,} clinical trials in PubMed Central "
        f"up to 2015, all under CC0 or CC BY ({by_licence})",
        "settings": repr(version.settings),
    }
    save_file({"map": found["map"].astype(np.float16), "learnt_from": found["learnt_from"]}, str(PLACE), metadata=told)
    print(f"{PLACE}: {PLACE.stat().st_size:,} bytes, {told['learnt_from']}")
    print(json.dumps(made["metrics"], indent=1))


if __name__ == "__main__":
    main()
