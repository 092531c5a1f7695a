"""The tours of an expert, a curator and a maintainer by the keyboard alone, as somebody hears them who sees nothing.

    python -m tests.measure.screen_reader                        # loads the sample into a new data folder first
    python -m tests.measure.screen_reader --home X --only expert
    python -m tests.measure.screen_reader --home X --pages       # how every page is built, instead of the tours

Reads the accessibility tree, from which screen readers read: what has the focus by role, name and state, and what live
regions say; a fault is what has no name, or a focus that is lost. `tests/measure/orca.py` has the real Orca speak.
"""

import argparse
import re
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from pages.parts.frame.entries import FIRST, entries
from tests.measure.errands import app_and_browser, disagree
from tests.support.browser import new_page, wait_for_run, wait_until_saved
from tests.support.hearing import HEAR, Outline, at_focus, heard, html_at_focus, outline
from tests.support.layout_shift import settled

MOST_STEPS = 150
NEED_NO_NAME = {"RootWebArea", "generic", "none", "main"}
TRAINED_MS = 1_200_000  # on a machine with other work


class Listener:
    """Somebody at the keyboard who hears the app; prints what they press and hear."""

    def __init__(self, page: Any, url: str) -> None:
        self.page, self.url = page, url
        self.keys = 0
        self.wrong: list[str] = []
        page.add_init_script(HEAR)

    def open(self, name: str = "") -> None:
        """Opens a page by its address."""
        self.page.goto(f"{self.url}/{name}")
        settled(self.page)
        self.tell_outline(outline(self.page))

    def tell_outline(self, built: Outline) -> None:
        """Prints headings and what has no name."""
        print(f"  [page] {self.page.title()}")
        print("  [headings] " + " / ".join(f"{one.level} {one.name}" for one in built.headings))
        print("  [landmarks] " + " / ".join(f"{one.role} {one.name}".strip() for one in built.landmarks))
        for one in built.nameless:
            self.fault(f"{one.role} without a name")

    def fault(self, what: str) -> None:
        """Notes what somebody who sees nothing would stumble over."""
        self.wrong.append(what)
        print(f"  FAULT: {what}")

    def press(self, key: str, *, lost_is_fine: bool = False) -> list[str]:
        """Presses a key and gives what is heard of it."""
        self.send(key)
        self.keys += 1
        self.still()
        said, here = self.heard(), at_focus(self.page)
        print(f"  {key} -> {here}" + "".join(f"\n      says: {one}" for one in said))
        if here.role == "RootWebArea" and not lost_is_fine:
            self.fault(f"the focus is nowhere after {key}")
        return said

    def send(self, key: str) -> None:
        """Presses a key, as the browser gets it."""
        self.page.keyboard.press(key)

    def send_text(self, text: str) -> None:
        """Presses the keys of a text."""
        self.page.keyboard.type(text)

    def heard(self) -> list[str]:
        """What was said since it was last asked."""
        return heard(self.page)

    def still(self) -> None:
        """Waits until the page's script has ended and what it says is said."""
        self.page.wait_for_timeout(300)
        wait_for_run(self.page)
        self.page.wait_for_timeout(700)

    def type(self, text: str) -> None:
        """Types into the field that has the focus."""
        self.send_text(text)
        self.keys += len(text)
        print(f"  types {text!r}")

    def go_to(self, name: str, *, role: str = "", key: str = "Tab") -> None:
        """Presses a key until what has this name (a pattern) has the focus."""
        passed: list[str] = []
        for _ in range(MOST_STEPS):
            here = at_focus(self.page)
            if re.search(name, here.name) and role in ("", here.role):
                print(f"  {key} x{len(passed)} -> {here}")
                return
            if not here.name and here.role not in NEED_NO_NAME:
                self.fault(f"{here.role} without a name has the focus: {html_at_focus(self.page)}")
            passed.append(here.name[:30])
            self.send(key)
            self.keys += 1
        raise SystemExit(f"no way to {name!r} by {key}: {passed}")

    def by_menu(self, place: str, section: str = "") -> None:
        """From where one is by the menu to a place, and by its row to a section of it."""
        for title in filter(None, (place, section)):
            self.go_to(rf"{title}( \d+)?$", role="link")
            self.press("Enter", lost_is_fine=True)
            settled(self.page)
        here = at_focus(self.page)
        print(f"  [focus on the new page] {here}")
        self.tell_outline(outline(self.page))


def expert(ear: Listener) -> None:
    """Start, the next article, a name, the first key sentence accepted; a refused key, a mark, undo, help."""
    ear.open()
    ear.go_to("^Review the next article")
    ear.press("Enter", lost_is_fine=True)
    ear.page.get_by_label("Your name").wait_for()
    ear.still()
    ear.go_to("^Your name")
    ear.type("Eva")
    ear.press("Enter", lost_is_fine=True)
    ear.page.wait_for_selector(".reader[data-ready]")
    settled(ear.page)
    ear.tell_outline(outline(ear.page))
    ear.go_to("^Judge by keys")
    for key in ("a", "x", "]", "a", "m", "m", "k", "?"):
        ear.press(key)
        wait_until_saved(ear.page)
    ear.press("Escape")
    for key in ("g", "Escape", "f", "u"):
        ear.press(key)
    ear.go_to("^Accept", role="button")
    ear.press("Enter")
    wait_until_saved(ear.page)


def curator(ear: Listener) -> None:
    """Adjudicate by the menu, the first dispute decided, then the gold as a file."""
    ear.open()
    ear.by_menu("Team", "Adjudicate")
    ear.go_to("^Key", role="button")
    ear.press("Enter")
    ear.press("x")
    ear.press("u")
    ear.go_to("^(Comment|Why)")
    ear.by_menu("Gold")
    ear.go_to("^CSV$", role="button")
    with ear.page.expect_download() as download:
        ear.press("Enter")
    print(f"  [file] {download.value.suggested_filename}")


def maintainer(ear: Listener) -> None:
    """Retrain, wait, read the comparison, promote."""
    ear.open()
    ear.by_menu("Model")
    ear.go_to("^More settings")
    ear.press("Enter")
    ear.go_to("^Epochs")
    ear.press("Control+a")
    ear.type("1")
    ear.press("Tab")
    ear.go_to("^Retrain$", role="button")
    ear.press("Enter", lost_is_fine=True)
    ear.page.get_by_role("button", name="Promote", exact=True).first.wait_for(timeout=TRAINED_MS)
    ear.page.get_by_role("button", name="Cancel", exact=True).wait_for(state="detached", timeout=TRAINED_MS)
    settled(ear.page)
    print("      says: " + " / ".join(ear.heard()))
    ear.tell_outline(outline(ear.page))
    ear.go_to("^(Promote it anyway|Promote)$")
    if at_focus(ear.page).role == "checkbox":
        ear.press("Space")
        ear.go_to("^Promote$", role="button")
    ear.press("Enter", lost_is_fine=True)


TOURS: dict[str, Callable[[Listener], None]] = {one.__name__: one for one in (expert, curator, maintainer)}


def walk_pages(ear: Listener, names: Sequence[str]) -> None:
    """Prints how these pages are built."""
    for name in names:
        print(f"{name}:", flush=True)
        before = len(ear.wrong)
        ear.open("" if name == FIRST else name)
        built = outline(ear.page)
        for what, found in (("tables", built.tables), ("pictures", built.pictures), ("frames", built.frames)):
            if found:
                print(f"  [{what}] " + " / ".join(str(one) for one in found))
        levels = [one.level for one in built.headings]
        if any(b > a + 1 for a, b in pairwise(levels)):
            ear.fault(f"a level of headings is left out: {levels}")
        if not built.frames and len(ear.wrong) == before:
            print("  nothing wrong")


def main() -> None:
    """Walks and prints what is heard."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, help="a data folder to copy; without one the sample is loaded")
    parser.add_argument("--only", nargs="*", default=list(TOURS), choices=TOURS)
    parser.add_argument(
        "--pages", nargs="*", choices=entries(), help="how (these) pages are built, instead of the tours"
    )
    given = parser.parse_args()
    with app_and_browser(given.home) as (server, browser):
        disagree(server.home)
        for name in given.only if given.pages is None else ["pages"]:
            page = new_page(browser, server.url, None if name == "expert" else "Ada")
            ear, began = Listener(page, server.url), time.monotonic()
            print(f"== {name}")
            walk_pages(ear, given.pages or list(entries())) if name == "pages" else TOURS[name](ear)
            print(f"== {name}: {ear.keys} keys, {time.monotonic() - began:.0f} s, {len(ear.wrong)} faults", flush=True)
            page.context.close()


if __name__ == "__main__":
    main()
