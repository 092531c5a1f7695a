"""What somebody sends who speaks Streamlit's language without its browser: forged widgets, sessions and uploads."""

import asyncio
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from typing import Any, Self

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import connect

from annotate.project.acting import OPERATOR, acting
from annotate.team.people import any_accounts
from pages.parts.frame.who import SESSION_COOKIE
from tests.support.browser import Server, serving
from tests.support.making import paper, query, store
from tests.support.team import browser, history, team
from tests.support.wire import Tab

pytestmark = pytest.mark.sqlite


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The app for a team with one article."""
    home = tmp_path_factory.mktemp("forged") / "keyline"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KEYLINE_HOME", str(home))
        patch.setenv("KEYLINE_AUTH", "local")
        with acting(OPERATOR):
            store(paper(pmid="1"))
        team()
        assert any_accounts()
        with serving(home) as running:
            yield running


class Forger(Tab):
    """A tab with a login's token, or none, that remembers what was drawn and sends what it likes."""

    def __init__(self, server: Server, token: str = "", session_id: str = "") -> None:
        super().__init__(server, "")
        self.token = token
        self.asked_for = session_id
        self.session_id = ""
        self.elements: list[Any] = []

    async def __aenter__(self) -> Self:
        # Streamlit's own way back into a session: a second and third "protocol" beside its name.
        protocols = ["streamlit", "PLACEHOLDER_AUTH_TOKEN", self.asked_for] if self.asked_for else ["streamlit"]
        self.socket = await connect(
            f"{self.server.url.replace('http', 'ws', 1)}/_stcore/stream",
            origin=self.server.url,  # type: ignore[arg-type]
            subprotocols=protocols,  # type: ignore[arg-type]
            additional_headers={"Cookie": f"{SESSION_COOKIE}={self.token}"} if self.token else {},
            max_size=None,
        )
        return self

    async def run(self, page: str, *widgets: WidgetState) -> None:
        """Runs a page's script as it is after these widgets were used."""
        message = BackMsg()
        message.rerun_script.page_name = page
        message.rerun_script.widget_states.widgets.extend(widgets)
        await self.socket.send(message.SerializeToString())
        self.elements = []
        async with asyncio.timeout(60):
            async for sent in self.socket:
                answer = ForwardMsg()
                answer.ParseFromString(sent)  # type: ignore[arg-type]
                if answer.WhichOneof("type") == "new_session":
                    self.session_id = answer.new_session.initialize.session_id
                if answer.delta.WhichOneof("type") == "new_element":
                    self.elements.append(answer.delta.new_element)
                if answer.WhichOneof("type") == "script_finished":
                    return

    def widget(self, kind: str, label: str, number: int = -1) -> str:
        """The id of a widget, of several the last: the first may be that of one's own account."""
        found = [getattr(one, kind) for one in self.elements if one.WhichOneof("type") == kind]
        return [one.id for one in found if one.label == label][number]

    def text(self) -> str:
        """All that was drawn, as text."""
        return "\n".join(map(str, self.elements))


def clicked(widget_id: str) -> WidgetState:
    return WidgetState(id=widget_id, trigger_value=True)


def roles() -> list[tuple[Any, ...]]:
    return query("SELECT name, role, disabled FROM account JOIN annotator ON annotator.id = annotator_id ORDER BY 1")


def refused() -> list[tuple[Any, ...]]:
    return history("refused")


def upload(server: Server, session_id: str) -> int:
    """The status of a file that is sent to a session, with the token that Streamlit gives to everybody."""
    with urllib.request.urlopen(f"{server.url}/_stcore/health") as answer:
        cookie = answer.headers["Set-Cookie"].partition(";")[0]
    mark = "x" * 20
    body = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nA\r\n--{mark}--\r\n'
    headers = {
        "X-Xsrftoken": cookie.partition("=")[2].strip('"'),
        "Cookie": cookie,
        "Origin": server.url,
        "Content-Type": f"multipart/form-data; boundary={mark}",
    }
    address = f"{server.url}/_stcore/upload_file/{session_id}/{uuid.uuid4()}"
    try:
        request = urllib.request.Request(address, body.encode(), headers, method="PUT")
        return urllib.request.urlopen(request).status
    except urllib.error.HTTPError as error:
        return error.code


def test_a_widget_s_value_that_is_no_option_changes_nothing_and_is_noted(server: Server) -> None:
    async def forge() -> None:
        async with Forger(server, browser("Ada")[0]) as ada:
            await ada.run("people")
            role, button = ada.widget("selectbox", "Role", 0), ada.widget("button", "Set")
            await ada.run("people", WidgetState(id=role, string_value="owner"), clicked(button))
            await ada.run("people", WidgetState(id=role, int_value=99), clicked(button))

    before = roles()
    asyncio.run(forge())
    assert roles() == before
    assert ("Ada", "the role is 'owner'; it must be one of annotator, curator, maintainer, admin") in refused()


def test_buttons_of_a_page_that_one_may_not_open_do_nothing(server: Server) -> None:
    """Their ids are the same for everybody: an annotator sends what an admin's page was given."""

    async def forge() -> str:
        async with Forger(server, browser("Ada")[0]) as ada:
            await ada.run("people")
            clicks = [clicked(ada.widget("button", name)) for name in ("Disable", "Log out everywhere", "Set")]
        async with Forger(server, browser("Anna")[0]) as anna:
            await anna.run("people", *clicks)
            await anna.run("people", *clicks)
            return anna.text()

    before = roles()
    shown = asyncio.run(forge())
    assert roles() == before and query("SELECT count(*) FROM login_session WHERE ended_at IS NOT NULL") == [(0,)]
    assert "Admins only." in shown and "Mats" not in shown
    assert ("Anna", "Anna may not open the page People") in refused()


def test_the_session_of_another_gives_nothing_without_their_cookie(server: Server) -> None:
    async def forge() -> tuple[str, str, str, bool]:
        async with Forger(server, browser("Ada")[0]) as ada:
            await ada.run("people")
            seen, session_id, disable = ada.text(), ada.session_id, ada.widget("button", "Disable")
        shown = []
        for token in ("", browser("Anna")[0]):
            async with Forger(server, token, session_id) as thief:
                await thief.run("people", clicked(disable))
                said = thief.text()
                await thief.run("people")
                shown.append(said + thief.text())
        return seen, *shown, thief.session_id == session_id  # type: ignore[return-value]

    before = roles()
    seen, nobody, anna, same = asyncio.run(forge())
    assert "First password" in seen and same  # it is the same session that came back
    assert "You are not logged in." in nobody and "Admins only." in anna
    assert not any(words in shown for shown in (nobody, anna) for words in ("First password", "Mats"))
    assert roles() == before


def test_whoever_may_not_import_uploads_nothing(server: Server) -> None:
    """What is uploaded stays in memory, and anybody can open a tab."""

    async def forge() -> dict[str, int]:
        answers = {"forged": upload(server, str(uuid.uuid4()))}
        for name in ("", "Anna", "Cora"):
            async with Forger(server, browser(name)[0] if name else "") as tab:
                await tab.run("articles")
                answers[name] = await asyncio.to_thread(upload, server, tab.session_id)
        return answers

    assert asyncio.run(forge()) == {"forged": 403, "": 403, "Anna": 403, "Cora": 204}
    said = refused()
    assert ("", "a person without login may not upload files") in said and ("Anna", "Anna may not upload files") in said
