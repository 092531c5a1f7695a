"""A window of WebKitGTK that does what lines of JSON tell it, and answers each by a line. Debian's own Python runs it.

    {"do": "go", "value": ADDRESS}      answers with the address once it is loaded
    {"do": "run", "value": SCRIPT}      answers with what the script, an expression, gives; a promise is waited for
    {"do": "press", "value": KEY}       a character, or a name of X's keys, such as Return
    {"do": "size", "value": [WIDTH, HEIGHT]}
    {"do": "wrong"}                     answers with the errors of pages since it was asked last

It imports nothing of Keyline: that Python has other packages. `python3 webkit_window.py --try` says whether it can run.
"""

import json
import sys
import threading
from typing import Any

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import Gdk, GLib, Gtk, WebKit2  # noqa: E402  (versions are required first)

# What goes wrong in a page, told to the window. That a part will have its new size in the next frame is no error.
LISTEN = """
const tell = (text) => window.webkit.messageHandlers.wrong.postMessage(String(text));
const isError = ({ message }) => message && !message.startsWith("ResizeObserver loop");
addEventListener("error", (event) => isError(event) && tell(event.message));
addEventListener("unhandledrejection", (event) => tell(event.reason));
const { error } = console;
console.error = (...words) => { tell(words.join(" ")); error(...words); };
"""


def answer(**words: Any) -> None:
    """Says one line."""
    print(json.dumps(words), flush=True)


class Window:
    """One view without a frame around it."""

    def __init__(self) -> None:
        self.found_wrong: list[str] = []
        manager = WebKit2.UserContentManager()
        manager.register_script_message_handler("wrong")
        manager.connect(
            "script-message-received::wrong", lambda _, said: self.found_wrong.append(said.get_js_value().to_string())
        )
        everywhere, at_once = WebKit2.UserContentInjectedFrames.ALL_FRAMES, WebKit2.UserScriptInjectionTime.START
        manager.add_script(WebKit2.UserScript.new(LISTEN, everywhere, at_once, None, None))
        self.view = WebKit2.WebView.new_with_user_content_manager(manager)
        self.view.get_settings().set_hardware_acceleration_policy(WebKit2.HardwareAccelerationPolicy.NEVER)
        self.view.connect("load-changed", self.changed)
        self.view.connect(
            "web-process-terminated", lambda _, why: answer(error=f"the page's process ended: {why.value_nick}")
        )
        self.window = Gtk.Window()
        self.window.set_decorated(False)
        self.window.add(self.view)
        self.size([1440, 900])
        self.is_loading = False

    def changed(self, _: Any, event: Any) -> None:
        """Answers where the address that was asked for is loaded."""
        if event == WebKit2.LoadEvent.FINISHED and self.is_loading:
            self.is_loading = False
            answer(value=self.view.get_uri())

    def go(self, address: str) -> None:
        """Loads an address."""
        self.is_loading = True
        self.view.load_uri(address)

    def run(self, script: str) -> None:
        """Evaluates an expression in the page."""
        body = f"return JSON.stringify((await ({script})) ?? null)"
        self.view.call_async_javascript_function(body, -1, None, None, None, None, self.ran)

    def ran(self, view: Any, result: Any) -> None:
        """Answers with what a script gave."""
        try:
            answer(value=json.loads(view.call_async_javascript_function_finish(result).to_string()))
        except GLib.Error as error:
            answer(error=str(error))

    def press(self, key: str) -> bool:
        """Presses a key and lets it go."""
        value = Gdk.unicode_to_keyval(ord(key)) if len(key) == 1 else Gdk.keyval_from_name(key)
        _, places = Gdk.Keymap.get_default().get_entries_for_keyval(value)
        shift = Gdk.ModifierType.SHIFT_MASK if places[0].level else Gdk.ModifierType(0)
        self.window.get_window().focus(Gdk.CURRENT_TIME)
        self.view.grab_focus()
        return bool(Gtk.test_widget_send_key(self.view, value, shift))

    def size(self, size: list[int]) -> None:
        """Takes another size."""
        self.window.show_all()
        self.window.resize(*size)

    def wrong(self, _: None) -> list[str]:
        """What went wrong in pages since this was asked last."""
        found, self.found_wrong = self.found_wrong, []
        return found


def main() -> None:
    """Does each line of the input until it ends."""
    if not Gtk.init_check()[0]:
        sys.exit("there is no display")
    window = Window()
    at_once = {"press": window.press, "size": window.size, "wrong": window.wrong}

    def do(order: dict[str, Any]) -> None:
        name, given = order["do"], order.get("value")
        if name in at_once:
            answer(value=at_once[name](given))
        else:
            {"go": window.go, "run": window.run}[name](given)

    def read() -> None:
        for line in sys.stdin:
            GLib.idle_add(do, json.loads(line))
        GLib.idle_add(Gtk.main_quit)

    threading.Thread(target=read, daemon=True).start()
    Gtk.main()


if __name__ == "__main__" and "--try" not in sys.argv:
    main()
