"""The real app in a real browser, for tests and measurements: a server process and Chromium."""

import asyncio
import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.app_starter import Started, start_app
from tests.support.paths import ROOT
from tests.support.prepared import Prepared

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
START_SECONDS = 120  # a few seconds, unless the machine is busy
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
# The same browser without a window's parts, where it is installed, and with pages so short-lived that compiling their
# scripts well costs more than it saves: a quarter less work for the tests.
HEADLESS = shutil.which("chromium-headless-shell") or CHROMIUM
UNCOMPILED = "--js-flags=--no-opt --no-maglev"
COOKIE = "keyline_annotator"
# Whose copies the apps of a run of tests are; the programs that measure start them as people do.
prepared: Prepared | None = None
PATIENCE_MS = 60_000  # what takes a moment takes many where three tests share two processors

# Streamlit looks ever more seldom for a server that was away, at last once a minute.
FOUND_AGAIN_MS = 180_000


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """The app on a data folder of its own; can be killed and started again on the same port.

    `as_people_do` is for a test of the start itself: by the command, whatever starts the others.
    """

    def __init__(self, home: Path, *arguments: str, as_people_do: bool = False) -> None:
        self.home = home
        self.arguments = arguments
        self.as_people_do = as_people_do
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | Started | None = None

    def begin(self, **settings: str) -> None:
        """Starts the app with further environment variables, and waits for nothing."""
        arguments = ["run", "app.py", "--server.port", str(self.port), *self.arguments]
        environment = {**os.environ, "KEYLINE_HOME": str(self.home), "HF_HUB_OFFLINE": "1", **settings}
        log = self.home.parent / "server.log"
        if prepared and not self.as_people_do:
            self.process = start_app(prepared, arguments, environment, log)
        else:
            with log.open("ab") as words:
                command = [sys.executable, "-m", "streamlit", *arguments]
                self.process = subprocess.Popen(
                    command, cwd=ROOT, env=environment, stdout=words, stderr=subprocess.STDOUT
                )

    def start(self) -> None:
        """Starts the app and waits until it answers."""
        self.begin()
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2):
                    return
            except (OSError, http.client.HTTPException):  # nobody is there yet, or one who was killed as he answered
                time.sleep(0.1)
        raise TimeoutError(f"the app did not start within {START_SECONDS} s")

    def kill(self) -> None:
        """SIGKILL: no chance to tidy up."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@contextmanager
def serving(home: Path, *arguments: str, as_people_do: bool = False) -> Iterator[Server]:
    """A running app on this data folder, with further arguments of `streamlit run`."""
    server = Server(home, *arguments, as_people_do=as_people_do)
    try:
        server.start()
        yield server
    finally:
        server.kill()


class Browsers:
    """One browser for all who ask for one after another; each finds it without a page."""

    def __init__(self, program: str | None = CHROMIUM, flags: Sequence[str] = FLAGS) -> None:
        self._program, self._flags = program, flags
        self._playwright: Any = None
        self._browser: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def take(self) -> Any:
        """The browser, begun where there is none, or none any more."""
        if self._browser is None or not self._browser.is_connected():
            self.stop()
            self._begin()
        # Playwright leaves its loop as the running one between two calls, and finds it there.
        asyncio._set_running_loop(self._loop)
        return self._browser

    def _begin(self) -> None:
        from playwright.sync_api import expect, sync_playwright

        expect.set_options(timeout=PATIENCE_MS)
        self._playwright = sync_playwright().start()
        self._loop = asyncio.get_running_loop()
        self._browser = self._playwright.chromium.launch(executable_path=self._program, args=self._flags)

    def leave(self) -> None:
        """Closes all pages, and lets the next test run a loop of its own."""
        try:
            for context in self._browser.contexts if self._browser else ():  # it may not have begun
                context.close()
        finally:
            asyncio._set_running_loop(None)

    def stop(self) -> None:
        """Ends the browser, if there is one."""
        if self._playwright is not None:
            asyncio._set_running_loop(self._loop)
            self._playwright.stop()
            asyncio._set_running_loop(None)
        self._playwright = self._browser = self._loop = None


# The browser of a run of tests; the programs that measure begin one each time.
browsers: Browsers | None = None


@contextmanager
def chromium() -> Iterator[Any]:
    """A headless browser without a page."""
    used = browsers or Browsers()
    try:
        yield used.take()
    finally:
        used.leave()
        if used is not browsers:
            used.stop()


def new_page(
    browser: Any, url: str, annotator: str | None = None, *, width: int = 1440, height: int = 900, touch: bool = False
) -> Any:
    """A page in a fresh context, as this annotator where one is given; with `touch` on a device without a keyboard."""
    size = {"width": width, "height": height}
    context = browser.new_context(viewport=size, accept_downloads=True, is_mobile=touch, has_touch=touch)
    if annotator:
        context.add_cookies([{"name": COOKIE, "value": annotator, "url": url}])
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    return page


# What the browser does when somebody goes back to an address of the app that is open.
GO = """(path) => { history.pushState({}, "", path); dispatchEvent(new PopStateEvent("popstate")); }"""


def go_on_to(page: Any, path: str, title: str) -> None:
    """From one page of the app to the one with this path and title, as by the menu, so that nothing is loaded again."""
    page.evaluate(GO, f"/{path}")
    page.wait_for_function("(title) => document.title.startsWith(title)", arg=f"{title} ·")
    wait_for_run(page)


def wait_for_run(page: Any) -> None:
    """Waits until Streamlit has finished the page's script."""
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")


def wait_until_seen(page: Any) -> None:
    """Waits until what the page shows has been there for longer than a key pressed twice takes."""
    page.evaluate("() => new Promise((seen) => requestAnimationFrame(() => setTimeout(seen, 400)))")


def wait_for_question(page: Any) -> None:
    """Waits until a question can be answered by key: its script may arrive after Streamlit has finished the page's."""
    wait_for_run(page)
    page.locator(".answers button:enabled").first.wait_for()
    wait_until_seen(page)


def open_palette(page: Any) -> None:
    """Opens Go to by its key, once its script has come and the page leaves it in its place."""
    wait_for_run(page)
    page.locator("button.open:enabled").wait_for()
    page.keyboard.press("Control+k")


def slow_down(page: Any, rate: float) -> None:
    """Gives the page the processor of an old computer: its scripts take so many times as long."""
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": rate})


def choose_files(page: Any, field: Any, files: Any) -> None:
    """Gives files to an upload field that stands: one given while the page is still drawn may be lost."""
    field.wait_for(state="attached")
    wait_for_run(page)
    field.set_input_files(files)


def downloaded(page: Any, button: str, *, exact: bool = False) -> Path:
    """Where the file lies that this button gives."""
    with page.expect_download() as download:
        page.get_by_role("button", name=button, exact=exact).first.click()
    return Path(download.value.path())


def open_reader(page: Any, url: str, article_id: int) -> Any:
    """Opens an article in review and returns the reader's host once it is built."""
    page.goto(f"{url}/review?article={article_id}")
    page.wait_for_selector(f'.reader[data-ready="{article_id}"]')
    return page.locator(".reader")


def wait_until_saved(page: Any) -> None:
    """Waits until every event of the page is acknowledged."""
    page.wait_for_selector('.save[data-state="saved"]')
