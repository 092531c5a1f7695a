"""The picture that moves in the README: a curator's and an expert's way through the real app, on the sample.

    python -m tests.measure.screencast                     # writes docs/tour.gif
    python -m tests.measure.screencast --frames DIR        # and each picture by itself, to look at

Prints how many pictures, seconds and bytes it took.
"""

import argparse
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from tests.measure.errands import app_and_browser
from tests.support.browser import new_page, wait_for_run, wait_until_saved
from tests.support.layout_shift import settled
from tests.support.paths import ROOT

WIDTH, HEIGHT, CAPTION = 1200, 750, 44
SHOWN = (960, 600)
COLOURS = 96
SECONDS = 2.4
MOST_SENTENCES = 40  # of an abstract of the sample
LONG_MS = 300_000  # a job, on a machine that has much else to do
MOST_BYTES = 3_000_000
OWN = """# Loss of MDM2 in U2OS cells

## Abstract

We knocked out MDM2 in U2OS cells with CRISPR-Cas9. The edited cells showed stabilised TP53 and ceased to divide.
Their growth came back when TP53 was deleted as well.
"""
Frame = tuple[str, bytes]


class Tour:
    """Walks through the app and gives a picture with its caption after each step."""

    def __init__(self, page: Any, url: str) -> None:
        self.page, self.url = page, url

    def picture(self, caption: str) -> Frame:
        """What the page shows now."""
        return caption, self.page.screenshot()

    def open(self, name: str) -> None:
        """Opens a page and waits until it stands still."""
        self.page.goto(f"{self.url}/{name}")
        settled(self.page)

    def imported(self) -> Iterator[Frame]:
        """A file goes in."""
        self.open("import_articles")
        own = {"name": "mdm2.md", "mimeType": "text/markdown", "buffer": OWN.encode()}
        self.page.locator("input[type=file]").first.set_input_files(own)
        wait_for_run(self.page)
        self.page.get_by_text("mdm2.md").first.wait_for()
        yield self.picture("Import: articles from files, folders or Europe PMC")
        self.page.get_by_role("button", name="Import the files", exact=True).click()
        self.page.get_by_text("mdm2.md: ").first.wait_for(timeout=LONG_MS)
        settled(self.page)
        self.page.get_by_text("mdm2.md: ").first.scroll_into_view_if_needed()
        yield self.picture("Each import says what became of every file")

    def reviewed(self) -> Iterator[Frame]:
        """Proposals are judged by key, and one sentence is added."""
        self.open("queue")
        yield self.picture("Queue: what to read next, and why")
        self.page.goto(f"{self.url}/review")
        self.page.wait_for_selector(".reader[data-ready]")
        settled(self.page)
        yield self.picture("Review: a first visit begins with a tour of five steps")
        self.page.locator(".tour").get_by_role("button", name="Close").click()
        yield self.picture("Review: the sentences that the model proposes are marked, with their rank")
        steps = (("a", "A accepts"), ("a", "the next one opens; the rest is ranked again"), ("x", "X rejects"))
        for key, said in steps:
            self.page.keyboard.press(key)
            wait_until_saved(self.page)
            settled(self.page)
            yield self.picture(f"By key: {said}")
        unproposed = self.page.get_by_text("Not proposed", exact=True)
        for _ in range(MOST_SENTENCES):
            self.page.keyboard.press("]")
            if unproposed.is_visible():
                break
        self.page.keyboard.press("m")
        wait_until_saved(self.page)
        settled(self.page)
        yield self.picture("M adds a sentence that was not proposed")

    def given_out(self) -> Iterator[Frame]:
        """The gold, and whether a training is worth it."""
        self.open("gold")
        yield self.picture("Gold: the labels with who said what, in ten formats")
        self.open("retrain")
        yield self.picture("Retrain: what a run would learn from, and whether it is worth it")


def with_caption(frame: Frame) -> Image.Image:
    """A picture in the size that is shown, its caption in a bar below it."""
    caption, png = frame
    sheet = Image.new("RGB", (SHOWN[0], SHOWN[1] + CAPTION), "#12344d")
    sheet.paste(Image.open(io.BytesIO(png)).convert("RGB").resize(SHOWN, Image.Resampling.LANCZOS))
    place = (18, SHOWN[1] + CAPTION // 2)
    ImageDraw.Draw(sheet).text(place, caption, fill="white", font=ImageFont.load_default(21), anchor="lm")
    return sheet


def write_gif(frames: list[Frame], target: Path) -> int:
    """Writes the pictures as one that moves, each for SECONDS, without end; gives its size in bytes."""
    sheets = [with_caption(frame).quantize(COLOURS, dither=Image.Dither.NONE) for frame in frames]
    sheets[0].save(
        target, save_all=True, append_images=sheets[1:], duration=round(SECONDS * 1000), loop=0, optimize=True
    )
    return target.stat().st_size


def main() -> None:
    """Walks, writes and tells the size; an error where it is too large to be shown in a README."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, default=ROOT / "docs" / "tour.gif", help="the file to write")
    parser.add_argument("--home", type=Path, help="a data folder to copy; without one the sample is loaded")
    parser.add_argument("--frames", type=Path, help="a folder for each picture by itself")
    given = parser.parse_args()
    with app_and_browser(given.home) as (server, browser):
        tour = Tour(new_page(browser, server.url, "Ada", width=WIDTH, height=HEIGHT), server.url)
        frames = [*tour.imported(), *tour.reviewed(), *tour.given_out()]
    if given.frames:
        given.frames.mkdir(parents=True, exist_ok=True)
        for number, frame in enumerate(frames):
            with_caption(frame).save(given.frames / f"{number:02}.png")
    size = write_gif(frames, given.to)
    print(f"{given.to}: {len(frames)} pictures, {len(frames) * SECONDS:.0f} s, {size:,} bytes")
    if size > MOST_BYTES:
        raise SystemExit(f"more than {MOST_BYTES:,} bytes")


if __name__ == "__main__":
    main()
