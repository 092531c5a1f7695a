"""The table of all texts that people read on the pages: page, place, text, with tabs between.

    python -m tests.measure.strings               # what stands in pages/
    python -m tests.measure.strings --room annotate   # reasons, refusals and commands, which pages show, too

A text of more than three pages is said to be of "all". {} stands for what is put in.
"""

import argparse

from tests.support.paths import ROOT
from tests.support.strings import SUFFIXES, files_of, texts


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--room", default="pages", choices=("pages", "annotate", "model", "db"))
    room = ROOT / parser.parse_args().room
    of = {page.stem: files_of(page) for page in sorted(room.glob("*.py"))} if room.name == "pages" else {}
    for one in texts(path for path in room.rglob("*") if path.suffix in SUFFIXES):
        named = [page for page, files in of.items() if one.path in files]
        print(", ".join(named) if 0 < len(named) < 4 else "all", one.place, one.words, sep="\t")


if __name__ == "__main__":
    main()
