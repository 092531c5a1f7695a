"""Firefox and WebKitGTK, as far as tests need them: open an address, run a script, press keys, ask what went wrong.

Chromium stands in `tests/support/browser.py`. These two are spoken to without a driver: Firefox by the Marionette that
is in it, WebKitGTK by a window of our own (`webkit_window.py`). What is not installed is told by `missing`.
"""

import itertools
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from tests.support.browser import PATIENCE_MS, free_port

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
DEBIANS_PYTHON = Path("/usr/bin/python3")
WINDOW = Path(__file__).with_name("webkit_window.py")
SECONDS = PATIENCE_MS / 1000
WAYS = ("Left", "Up", "Right", "Down")
# Keys by the names that pages know them by: Marionette's characters, X's names.
KEYS = {"Enter": ("\ue007", "Return"), "Escape": ("\ue00c", "Escape"), "Tab": ("\ue004", "Tab")}
KEYS |= {f"Arrow{way}": (sign, way) for way, sign in zip(WAYS, "\ue012\ue013\ue014\ue015", strict=True)}
# A screen where there is none.
XVFB = ("xvfb-run", "--auto-servernum", "--server-args", "-screen 0 1440x900x24")
FIREFOX_SETTINGS = {
    "marionette.port": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "app.update.disabledForTesting": True,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "remote.prefs.recommended": True,
}
# Errors that Firefox's console holds of pages with this address, oldest first.
CONSOLE = """const [address] = arguments;
const found = Services.console.getMessageArray().filter((one) => one instanceof Ci.nsIScriptError
  && !(one.flags & Ci.nsIScriptError.warningFlag) && one.sourceName.startsWith(address));
Services.console.reset();
return found.map((one) => one.errorMessage);"""
# Streamlit tries a quicker way to count, which our policy of scripts forbids, and goes on without it.
TRIED_AND_FORBIDDEN = "settings blocked WebAssembly"


class OtherBrowser(Protocol):
    """What a walk asks of a browser."""

    def go(self, address: str) -> None:
        """Loads an address."""

    def run(self, script: str) -> Any:
        """What an expression gives in the page; a promise is waited for."""

    def press(self, key: str) -> None:
        """Presses a character, or a key of `KEYS`."""

    def size(self, width: int, height: int) -> None:
        """Gives the page another size."""

    def wrong(self) -> list[str]:
        """Errors of pages since this was asked last."""


def missing(name: str) -> str | None:
    """Why this browser cannot be begun here, in words; None where it can."""
    if name == "firefox":
        return None if FIREFOX else "needs Firefox (Debian's firefox-esr)"
    if not shutil.which(XVFB[0]):
        return "needs a screen that is not there (Debian's xvfb)"
    trial = [*XVFB, str(DEBIANS_PYTHON), str(WINDOW), "--try"]
    if (
        not DEBIANS_PYTHON.exists()
        or subprocess.run(trial, check=False, capture_output=True, timeout=SECONDS).returncode
    ):
        return "needs WebKitGTK (Debian's gir1.2-webkit2-4.1 and python3-gi)"
    return None


class Firefox:
    """Firefox without a window, by the protocol of Marionette: an answer is its length, a colon and JSON."""

    def __init__(self, port: int) -> None:
        self._origin = "about:"
        self._numbers = itertools.count(1)
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                self._socket = socket.create_connection(("127.0.0.1", port), SECONDS)
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
        self._file = self._socket.makefile("rb")
        self._read()  # what it can
        self._ask("NewSession")
        self._ask("SetTimeouts", script=PATIENCE_MS, pageLoad=PATIENCE_MS)

    def _read(self) -> Any:
        length = b""
        while not length.endswith(b":"):
            length += self._file.read(1)
        return json.loads(self._file.read(int(length[:-1])))

    def _ask(self, command: str, **given: Any) -> Any:
        words = json.dumps([0, next(self._numbers), command if ":" in command else f"WebDriver:{command}", given])
        self._socket.sendall(f"{len(words.encode())}:{words}".encode())
        _, _, error, value = self._read()
        if error:
            raise RuntimeError(f"Firefox answered {command}: {error['message']}")
        return value

    def go(self, address: str) -> None:
        self._origin = "{0.scheme}://{0.netloc}".format(urlsplit(address))
        self._ask("Navigate", url=address)

    def run(self, script: str) -> Any:
        return self._ask("ExecuteScript", script=f"return ({script})", args=[])["value"]

    def press(self, key: str) -> None:
        value = KEYS[key][0] if key in KEYS else key
        actions = [{"type": kind, "value": value} for kind in ("keyDown", "keyUp")]
        self._ask("PerformActions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def size(self, width: int, height: int) -> None:
        around = self.run("[outerWidth - innerWidth, outerHeight - innerHeight]")
        self._ask("SetWindowRect", width=width + around[0], height=height + around[1])

    def wrong(self) -> list[str]:
        self._ask("Marionette:SetContext", value="chrome")
        found: list[str] = self._ask("ExecuteScript", script=CONSOLE, args=[self._origin])["value"]
        self._ask("Marionette:SetContext", value="content")
        return [one for one in found if TRIED_AND_FORBIDDEN not in one]


class WebKit:
    """A view of WebKitGTK, told line by line."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def _ask(self, do: str, value: Any = None) -> Any:
        told, said = self._process.stdin, self._process.stdout
        assert told and said
        told.write(json.dumps({"do": do, "value": value}) + "\n")
        told.flush()
        if not wait([said], SECONDS):  # which takes numbers of files above 1,023, unlike select
            raise TimeoutError(f"WebKitGTK did not answer {do} within {SECONDS:.0f} s")
        found = json.loads(said.readline() or '{"error": "it has ended"}')
        if "error" in found:
            raise RuntimeError(f"WebKitGTK answered {do}: {found['error']}")
        return found["value"]

    def go(self, address: str) -> None:
        self._ask("go", address)

    def run(self, script: str) -> Any:
        return self._ask("run", script)

    def press(self, key: str) -> None:
        self._ask("press", KEYS[key][1] if key in KEYS else key)

    def size(self, width: int, height: int) -> None:
        self._ask("size", [width, height])

    def wrong(self) -> list[str]:
        found: list[str] = self._ask("wrong")
        return found


@contextmanager
def other_browser(name: str) -> Iterator[OtherBrowser]:
    """`firefox` or `webkit`, with a home that goes with it."""
    with ExitStack() as ended:
        home = Path(ended.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        quiet: dict[str, Any] = {"stderr": subprocess.DEVNULL, "start_new_session": True}
        browser: OtherBrowser
        if name == "firefox":
            port = free_port()
            settings = {**FIREFOX_SETTINGS, "marionette.port": port}
            lines = [f"user_pref({json.dumps(key)}, {json.dumps(value)});" for key, value in settings.items()]
            (home / "user.js").write_text("\n".join(lines))
            assert FIREFOX
            command = [
                FIREFOX,
                "--headless",
                "--marionette",
                "--remote-allow-system-access",
                "--no-remote",
                "--profile",
                str(home),
            ]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, **quiet)
            ended.callback(_end, process)
            browser = Firefox(port)
        else:
            # X's own key events can be sent by a program; those of its newer extension cannot.
            surroundings = {**os.environ, "GDK_CORE_DEVICE_EVENTS": "1", "GDK_BACKEND": "x11", "HOME": str(home)}
            window = subprocess.Popen(
                [*XVFB, str(DEBIANS_PYTHON), str(WINDOW)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=surroundings,
                **quiet,
            )
            ended.callback(_end, window)
            browser = WebKit(window)
        yield browser


def _end(process: "subprocess.Popen[Any]") -> None:
    """Ends a browser with all that it began, which is a group of processes."""
    if process.stdin:
        process.stdin.close()  # WebKit's window ends so, and then the screen
    else:
        process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()
