"""Makes the map of vectors that Keyline ships: of a version that `related train` made, in half precision.

python -m tests.measure.related_map NAME, in the project (KEYLINE_HOME) where it was made.
"""

import argparse
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

from annotate.proposing.encoder_versions import proposing_version
from annotate.registry.versions import verified_folder, version_named
from annotate.related.maps import FILE, WEIGHTS_FILE
from db.values import Kind

PLACE = Path("annotate/related/shipped/all-MiniLM-L6-v2.safetensors")


def main() -> None:
    """Writes the file and prints its size in bytes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    version = version_named(parser.parse_args().name, Kind.RELATED)
    found = load_file(str(verified_folder(version) / FILE))
    told = {
        "encoder": proposing_version().name,
        "encoder_weights_sha256": proposing_version().manifest[WEIGHTS_FILE],
        "learnt_from": "the reference lists of 2,267 clinical trials in PubMed Central up to 2015 (docs/related.md)",
        "settings": repr(version.settings),
    }
    save_file({"map": found["map"].astype(np.float16), "learnt_from": found["learnt_from"]}, str(PLACE), metadata=told)
    print(f"{PLACE}: {PLACE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
