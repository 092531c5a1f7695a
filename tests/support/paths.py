"""Where the project, its pages and the data of the tests lie."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "pages"
DATA = ROOT / "tests" / "data"
