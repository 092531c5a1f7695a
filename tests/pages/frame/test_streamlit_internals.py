"""What we use of Streamlit beyond its documentation, looked at in the release that is installed."""

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
import streamlit as st
from streamlit.components.lib.local_component_registry import LocalComponentRegistry
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.session_manager import ActiveSessionInfo
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec
from streamlit.testing.v1 import AppTest
from streamlit.user_info import AUTH_LOGIN_ENDPOINT, AUTH_LOGOUT_ENDPOINT
from streamlit.web.server.server import UPLOAD_FILE_ENDPOINT
from streamlit.web.server.starlette.starlette_routes import ROUTE_METRICS

from pages.parts.frame import streamlit_internals
from pages.parts.frame.streamlit_internals import (
    LOG_IN,
    LOG_OUT,
    NUMBERS,
    PAGE_ICON,
    PAGE_TITLE,
    SEEN_IN,
    UPLOAD_PATH,
    at_any_address,
    remove_upload,
    state_of_tab,
    uploaded_bytes,
)


@pytest.fixture
def uploads(tmp_path, monkeypatch) -> Iterator[MemoryUploadedFileManager]:
    """The uploads of a runtime that serves nobody, made as the server makes its own."""
    monkeypatch.setattr(Runtime, "_instance", None)
    manager = MemoryUploadedFileManager(UPLOAD_FILE_ENDPOINT)
    Runtime(
        RuntimeConfig(
            script_path=str(tmp_path / "app.py"),
            component_registry=LocalComponentRegistry(),
            media_file_storage=MemoryMediaFileStorage("/media"),
            uploaded_file_manager=manager,
        )
    )
    return manager


def test_the_page_that_it_begins_with_holds_the_lines_that_are_replaced():
    page = (Path(st.__file__).parent / "static" / "index.html").read_bytes()
    assert page.count(PAGE_ICON) == page.count(PAGE_TITLE) == 1
    assert b"shortcut icon" not in page.replace(PAGE_ICON, b"")


def test_it_names_its_files_from_where_the_address_is():
    page = (Path(st.__file__).parent / "static" / "index.html").read_bytes()
    assert page.count(b'src="./static/') and not re.search(rb'(src|href)="(?!\./|data:|https?:)', page)


def test_a_page_lies_at_an_address_of_several_parts():
    page = st.Page(lambda: None, title="Start", url_path="start")
    assert at_any_address(page, "one/two").url_path == "one/two"


def test_no_service_is_asked_for_this_machine_s_address(monkeypatch):
    from streamlit import net_util
    from streamlit.web.server import server_util

    asked = []
    monkeypatch.setattr(net_util, "get_external_ip", net_util.get_external_ip)  # put back in the end
    monkeypatch.setattr(net_util, "_make_blocking_http_get", lambda *what, **more: asked.append(what))
    streamlit_internals.ask_nobody_for_addresses()
    assert not server_util.is_url_from_allowed_origins("http://evil.example")
    assert asked == []


def test_this_is_the_release_of_streamlit_that_was_looked_at():
    assert st.__version__ == SEEN_IN, (
        f"Streamlit is {st.__version__} here, and what streamlit_internals.py uses of its inner parts was seen in "
        f"{SEEN_IN}. Run this file, tests/house/test_app_forged.py and tests/browser/test_uploads.py; where they pass, "
        "write the new release into SEEN_IN."
    )


def test_the_address_of_an_upload_tells_its_tab(uploads):
    (address,) = uploads.get_upload_urls("tab-1", ["a.xml"])
    found = UPLOAD_PATH.search(address.upload_url)
    assert found is not None and found[1] == "tab-1"
    assert UPLOAD_PATH.search("/_stcore/health") is None


def test_the_bytes_of_a_tab_are_those_of_its_files_alone(uploads):
    assert uploaded_bytes("tab-1") == 0
    for tab, number, size in (("tab-1", "1", 10), ("tab-1", "2", 5), ("tab-2", "1", 100)):
        uploads.add_file(tab, UploadedFileRec(number, "a.xml", "text/xml", b"x" * size))
    assert (uploaded_bytes("tab-1"), uploaded_bytes("tab-2"), uploaded_bytes("tab-3")) == (15, 100, 0)


def test_its_numbers_and_its_ways_in_and_out_are_at_the_addresses_that_the_gate_knows():
    assert (f"/{ROUTE_METRICS}", AUTH_LOGIN_ENDPOINT, AUTH_LOGOUT_ENDPOINT) == (NUMBERS, LOG_IN, LOG_OUT)


def test_a_tab_that_is_not_open_has_an_empty_state(uploads):
    assert state_of_tab("tab-1") == {}
    # What an open one has: tests/house/test_app_forged.py asks the running app.
    assert "session" in ActiveSessionInfo.__dataclass_fields__
    assert isinstance(AppSession.session_state, property)


def test_a_script_that_runs_is_told_from_everything_else():
    assert streamlit_internals.is_script_running() is False

    def script() -> None:
        import streamlit as st

        from pages.parts.frame.streamlit_internals import is_script_running

        st.text(str(is_script_running()))

    assert AppTest.from_function(script, default_timeout=60).run().text[0].value == "True"


def test_a_script_takes_its_upload_out_of_memory_and_nobody_else_does(uploads, monkeypatch):
    record = UploadedFileRec("1", "a.xml", "text/xml", b"x" * 10)
    uploads.add_file("tab-1", record)
    file = UploadedFile(record, FileURLs(file_id="1"))
    assert isinstance(file, BytesIO)
    remove_upload(file)
    assert uploaded_bytes("tab-1") == 10

    class Context:
        session_id = "tab-1"
        uploaded_file_mgr = uploads

    monkeypatch.setattr(streamlit_internals, "get_script_run_ctx", lambda: Context)
    remove_upload(file)
    assert uploaded_bytes("tab-1") == 0
