"""The tours of `tests.measure.screen_reader` as the real Orca speaks them, with real keys, on a display of their own.

    python -m tests.measure.orca                        # loads the sample into a new data folder first
    python -m tests.measure.orca --home X --only curator

Needs Debian's packages xvfb, dbus, at-spi2-core, orca, xdotool and openbox, and Chromium. Speech goes nowhere but into
Orca's own record, from which it is printed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests.measure.errands import app_data
from tests.measure.screen_reader import TOURS, Listener, disagree
from tests.support.browser import CHROMIUM, COOKIE, FLAGS, PATIENCE_MS, serving

NEEDED = ("Xvfb", "dbus-run-session", "gdbus", "orca", "xdotool", "openbox")
BUS = "/usr/libexec/at-spi-bus-launcher"
DISPLAY = ":77"
NAMES = {"Enter": "Return", "ArrowDown": "Down", "]": "bracketright", "?": "question", "Space": "space"}
SPEECH = re.compile(r"SPEECH OUTPUT: '(.*)'(?:\{.*\})?\s*$")
SPEECHD = 'AddModule "dummy" "sd_dummy" ""\nDefaultModule dummy\n'
STARTING_S = 6


class Speaker(Listener):
    """Somebody who works with Orca: real keys, and what it says."""

    def __init__(self, page: Any, url: str, record: Path) -> None:
        super().__init__(page, url)
        self.record, self.read = record, 0

    def send(self, key: str) -> None:
        """Presses a key of the display."""
        subprocess.run(["xdotool", "key", NAMES.get(key, key.replace("Control", "ctrl"))], check=True)
        time.sleep(0.15)

    def send_text(self, text: str) -> None:
        """Types a text on the display."""
        subprocess.run(["xdotool", "type", "--delay", "60", text], check=True)

    def heard(self) -> list[str]:
        """What Orca has said since it was last asked, but for the names of the keys."""
        time.sleep(1)
        lines = self.record.read_text(errors="replace").splitlines()
        new, self.read = lines[self.read :], len(lines)
        said = [found[1].strip() for line in new if (found := SPEECH.search(line))]
        return [one for one in said if one]


@contextmanager
def speaking(folder: Path) -> Iterator[Path]:
    """A display with Orca on it; gives the file in which it records what it says."""
    home, runtime, record = folder / "home", folder / "run", folder / "orca.out"
    (home / ".config" / "speech-dispatcher").mkdir(parents=True)
    (home / ".config" / "speech-dispatcher" / "speechd.conf").write_text(SPEECHD)
    runtime.mkdir(mode=0o700)
    mine = {"HOME": str(home), "XDG_RUNTIME_DIR": str(runtime), "DISPLAY": DISPLAY, "GNOME_ACCESSIBILITY": "1"}
    os.environ.update(mine)
    with ExitStack() as stack, (folder / "log").open("w") as log:

        def begin(*command: str) -> None:
            process = subprocess.Popen(command, stdout=log, stderr=log)
            stack.callback(process.wait)
            stack.callback(process.kill)
            time.sleep(1)

        begin("Xvfb", DISPLAY, "-screen", "0", "1440x1000x24")
        begin("openbox")
        begin(BUS, "--launch-immediately")
        for name in ("IsEnabled", "ScreenReaderEnabled"):
            where = ["gdbus", "call", "--session", "--dest", "org.a11y.Bus", "--object-path", "/org/a11y/bus"]
            method = ["--method", "org.freedesktop.DBus.Properties.Set", "org.a11y.Status", name, "<true>"]
            subprocess.run([*where, *method], check=True, stdout=log)
        begin("orca", "--replace", f"--debug-file={record}", "--disable", "braille")
        time.sleep(STARTING_S)
        yield record


def walk(home: Path | None, tours: list[str]) -> None:
    """Walks the tours and prints what Orca says."""
    with (
        tempfile.TemporaryDirectory() as temporary,
        speaking(Path(temporary)) as record,
        app_data(home) as own,
        serving(own, as_people_do=True) as server,
        sync_playwright() as playwright,
    ):
        disagree(own)
        for name in tours:
            flags = [*FLAGS, "--force-renderer-accessibility", "--window-size=1440,1000"]
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags, headless=False)
            context = browser.new_context(no_viewport=True, accept_downloads=True)
            if name != "expert":
                context.add_cookies([{"name": COOKIE, "value": "Ada", "url": server.url}])
            page = context.new_page()
            page.set_default_timeout(PATIENCE_MS)
            ear = Speaker(page, server.url, record)
            print(f"== {name}", flush=True)
            TOURS[name](ear)
            print(f"== {name}: {ear.keys} keys, {len(ear.wrong)} faults", flush=True)
            browser.close()


def main() -> None:
    """Begins a session bus of its own where there is none, and walks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, help="a data folder to copy; without one the sample is loaded")
    parser.add_argument("--only", nargs="*", default=list(TOURS), choices=TOURS)
    given = parser.parse_args()
    if lacking := [name for name in NEEDED if shutil.which(name) is None]:
        raise SystemExit(f"not installed: {', '.join(lacking)}")
    if "KEYLINE_ORCA" not in os.environ:
        again = [sys.executable, "-m", "tests.measure.orca", *sys.argv[1:]]
        environment = {**os.environ, "KEYLINE_ORCA": "1"}
        raise SystemExit(subprocess.run(["dbus-run-session", "--", *again], env=environment, check=False).returncode)
    walk(given.home, given.only)


if __name__ == "__main__":
    main()
