"""Small pictures of pages, which a test holds against the ones that are kept.

A picture is the screen in grey, each square of CELL pixels its mean: letters are gone, columns and panels stay.
"""

import io
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageFilter

from tests.support.browser import wait_for_run

SIZES = {"desk": (1440, 900), "laptop": (1024, 768), "phone": (390, 844)}
THEMES = ("dark", "light")
CELL = 10
STEP = 8  # levels of grey that a kept picture does not tell apart
BLUR, LEAST = 2, 12  # squares by which a line may move, and levels of grey by which a square may differ
MOST = 0.02  # of the squares: letters of another release move fewer, a column that is gone many more
PAUSE_MS, LOOKS = 200, 60
FITS = "(width) => innerWidth === width && document.querySelector('[data-testid=stApp]').offsetWidth === width"
Pictures = dict[str, np.ndarray]  # by "theme size" the squares: uint8, shape (height / CELL, width / CELL)


def resize(page: Any, size: str) -> None:
    """Gives the page a window of this size."""
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function(FITS, arg=width)
    wait_for_run(page)


def look(page: Any) -> np.ndarray:
    """The page as it looks now."""
    seen = page.screenshot(animations="disabled", caret="hide")
    grey = Image.open(io.BytesIO(seen)).convert("L")
    return np.asarray(grey.resize((grey.width // CELL, grey.height // CELL), Image.Resampling.BOX))


def still(page: Any, expected: np.ndarray | None) -> np.ndarray:
    """The page once it looks as expected, at the latest after LOOKS looks; after a second where nothing is expected."""
    if expected is None:
        page.wait_for_timeout(1000)
    for _ in range(LOOKS):
        seen = look(page)
        if expected is None or apart(seen, expected) <= MOST:
            break
        page.wait_for_timeout(PAUSE_MS)
    return seen


def apart(one: np.ndarray, other: np.ndarray) -> float:
    """The share of squares by which two pictures of a size differ, 0 to 1."""
    return float((np.abs(_blurred(one) - _blurred(other)) > LEAST).mean())


def _blurred(picture: np.ndarray) -> np.ndarray:
    return np.asarray(Image.fromarray(picture).filter(ImageFilter.GaussianBlur(BLUR)), dtype=float)


def keep(pictures: Pictures, path: Path) -> None:
    """Writes the pictures of a page as one file, below each other."""
    wide = max(one.shape[1] for one in pictures.values())
    rows = [np.pad(pictures[name], ((0, 0), (0, wide - pictures[name].shape[1]))) for name in _names()]
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.vstack(rows) // STEP * STEP).save(path, optimize=True)


def kept(path: Path) -> Pictures:
    """The pictures of a file that `keep` wrote; none where there is no file."""
    if not path.exists():
        return {}
    whole = np.asarray(Image.open(path))
    found, top = {}, 0
    for name in _names():
        width, height = (side // CELL for side in SIZES[name.split()[1]])
        found[name] = whole[top : top + height, :width]
        top += height
    return found


def _names() -> list[str]:
    return [f"{theme} {size}" for theme in THEMES for size in SIZES]
