"""Everything that we use of Streamlit beyond what its documentation promises, in one place.

A new release may change any of it without saying so. tests/pages/frame/test_streamlit_internals.py looks at each name;
before another release of Streamlit is pinned, run it and the tests of uploads and logins, then write the release here.
"""

import re
from collections.abc import Sequence
from typing import Any

import click
from streamlit import net_util
from streamlit.errors import Error
from streamlit.navigation.page import Page
from streamlit.runtime import get_instance, uploaded_file_manager
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.web.bootstrap import load_config_options
from streamlit.web.cli import main_run
from streamlit.web.server.starlette import starlette_websocket

UploadedFile = uploaded_file_manager.UploadedFile

SEEN_IN = "1.67.0"
# The address to which a browser sends a file of a tab; the group is the tab's session.
UPLOAD_PATH = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+$")
# Three addresses: of Streamlit's own numbers, of the begin of a login with an identity provider, and of its end, which
# takes the cookie away.
NUMBERS, LOG_IN, LOG_OUT = "/_stcore/metrics", "/auth/login", "/auth/logout"
# Lines of the page that Streamlit begins with.
PAGE_ICON = b'<link rel="shortcut icon" href="./favicon.png" />'
PAGE_TITLE = b"<title>Streamlit</title>"


def ask_nobody_for_addresses() -> None:
    """Keeps Streamlit from asking a service on the Internet for this machine's address. It asks to print one, and to
    compare one with a foreign Origin, in the loop that answers everybody."""
    net_util.get_external_ip = lambda: None


def at_any_address(page: Page, address: str) -> Page:
    """This page at another address, which may have several parts, as those that Streamlit lets us declare may not."""
    page._url_path = address
    return page


def is_asked_for(page: Page) -> bool:
    """Whether the script that declares the pages runs for this one."""
    context = get_script_run_ctx()
    if context is None:
        return False
    asked = context.pages_manager.intended_page_script_hash
    return page._script_hash == asked if asked else page.url_path == context.pages_manager.intended_page_name


def is_host_allowed(host: str) -> bool:
    """Whether a Host header is one of server.allowedHosts."""
    return starlette_websocket.is_host_allowed(host)


def is_script_running() -> bool:
    """Whether this thread runs the script or a callback of a tab."""
    return get_script_run_ctx(suppress_warning=True) is not None


def state_of_tab(session_id: str) -> Any:
    """st.session_state of an open tab, for requests outside its script; empty where the tab is closed."""
    tab = get_instance()._session_mgr.get_active_session_info(session_id)
    return tab.session.session_state if tab else {}


def uploaded_bytes(session_id: str) -> int:
    """Bytes of the files that a tab has uploaded and not removed, all of which Streamlit keeps in memory."""
    manager = get_instance().uploaded_file_mgr
    assert isinstance(manager, MemoryUploadedFileManager)
    return sum(len(file.data) for file in list(manager.file_storage.get(session_id, {}).values()))


def remove_upload(file: UploadedFile) -> None:
    """Takes one uploaded file of the tab whose script or callback runs out of memory; nothing where none runs."""
    context = get_script_run_ctx()
    if context is not None:
        manager = context.uploaded_file_mgr
        assert isinstance(manager, MemoryUploadedFileManager)
        manager.remove_file(session_id=context.session_id, file_id=file.file_id)


def load_options(arguments: Sequence[str]) -> None:
    """Makes st.get_option answer as in `streamlit run app.py` with these arguments.

    They override the environment, which overrides the files in `.streamlit`. Raises RuntimeError where Streamlit would
    not start.
    """
    try:
        given = main_run.make_context("run", ["app.py", *arguments]).params
        load_config_options({name: value for name, value in given.items() if name not in ("target", "args")})
    except click.ClickException as error:
        raise RuntimeError(f"Streamlit does not start: {error.format_message()}") from error
    except click.exceptions.Exit as error:
        raise RuntimeError("Streamlit does not start: these arguments ask for its help text") from error
    except Error as error:
        raise RuntimeError(f"Streamlit does not start: {error}") from error
