"""Two projects really served beside each other: nothing of one reaches the other, and neither falls with the other."""

import http.client
import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psutil
import pytest

from annotate.project.acting import OPERATOR, acting
from annotate.review.article_view import ENDPOINT, reading_view
from annotate.team.logins import actor_of
from tests.support.browser import free_port
from tests.support.making import paper, query, store, verdict
from tests.support.paths import ROOT
from tests.support.projects import written
from tests.support.team import PASSWORD, add, cheap_hashes
from tests.support.waiting import wait_until

pytestmark = pytest.mark.sqlite("processes and what they tell each other")
KEYS = ("crispr", "trials")
# Some seconds for each start, unless the machine is busy.
START_SECONDS = 180


@dataclass(frozen=True)
class Site:
    """One of the projects, as a browser and its own data folder see it."""

    key: str
    folder: Path
    port: int

    def ask(self, method: str, path: str, body: str = "", **headers: str) -> tuple[int, str, dict[str, str]]:
        """(status, body, head) of an answer. Raises OSError where nobody answers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, {"Origin": f"http://127.0.0.1:{self.port}"} | headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), dict(answer.getheaders())
        except http.client.HTTPException as error:  # it died as it answered
            raise ConnectionError(str(error)) from error
        finally:
            connection.close()

    def answers(self) -> bool:
        """Whether the app does its work."""
        try:
            return self.ask("GET", "/healthz")[0] == 200
        except OSError:
            return False

    def log_in(self) -> str:
        """The cookie, name=token, of a login as Ada."""
        form = urlencode({"name": "Ada", "password": PASSWORD})
        status, _, head = self.ask("POST", "/login", form, **{"Content-Type": "application/x-www-form-urlencoded"})
        assert status == 303
        return head["set-cookie"].partition(";")[0]

    def is_logged_in(self, cookie: str) -> bool:
        """Whether the page on which one changes one's password opens."""
        return self.ask("GET", "/password", Cookie=cookie)[0] == 200

    def save(self, token: str, cookie: str, event: dict[str, Any]) -> int:
        """The status of what a review page sends."""
        body = json.dumps({"token": token, "events": [event]})
        return self.ask("POST", ENDPOINT, body, Cookie=cookie)[0]

    def turn(self, patch: pytest.MonkeyPatch) -> None:
        """From now on the functions of this process are in this project's data folder."""
        patch.setenv("KEYLINE_HOME", str(self.folder))

    def events(self, patch: pytest.MonkeyPatch) -> set[str]:
        """The ids of the verdicts that are stored."""
        self.turn(patch)
        return {row[0] for row in query("SELECT event_id FROM verdict")}

    def process(self, parent: psutil.Process) -> psutil.Process:
        """The app's process."""
        return wait_until(lambda: next((one for one in parent.children() if self._is_its(one)), None))  # type: ignore[return-value]

    def _is_its(self, process: psutil.Process) -> bool:
        with suppress(psutil.NoSuchProcess, psutil.ZombieProcess):  # it ended as it was looked at
            return f"--server.port={self.port}" in process.cmdline()
        return False


@pytest.fixture
def sites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Site]:
    """A file of two projects with logins; each has an article and an Ada of the same password."""
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    monkeypatch.delenv("DATABASE_URL", raising=False)
    made = {key: Site(key, tmp_path / key, free_port()) for key in KEYS}
    for site in made.values():
        site.turn(monkeypatch)
        with cheap_hashes(), acting(OPERATOR):
            add("Ada")
            store(paper(pmid="1"))
    written(tmp_path, **{key: {"port": site.port} for key, site in made.items()})
    return made


@pytest.fixture
def served(sites: dict[str, Site], tmp_path: Path) -> Iterator[psutil.Process]:
    """What serves both, once both answer."""
    command = [sys.executable, "-m", "annotate", "projects", "serve", "--file", str(tmp_path / "projects.yaml")]
    with (tmp_path / "log").open("ab") as log:
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
    try:
        wait_until(lambda: all(site.answers() for site in sites.values()), START_SECONDS)
        yield psutil.Process(process.pid)
    finally:
        with suppress(psutil.NoSuchProcess):  # where it ended as the test asked it to
            for one in [*psutil.Process(process.pid).children(), psutil.Process(process.pid)]:
                one.kill()
        process.wait()


def watch(site: Site, stop: threading.Event, answered: list[bool]) -> None:
    """Notes twenty times a second whether a project answers."""
    while not stop.wait(0.05):
        answered.append(site.answers())


def test_two_projects_share_nothing_and_neither_falls_with_the_other(
    sites: dict[str, Site], served: psutil.Process, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crispr, trials = sites["crispr"], sites["trials"]
    # A login of one is none in the other, under whichever name its cookie is sent.
    cookies = {key: site.log_in() for key, site in sites.items()}
    assert [cookie.partition("=")[0] for cookie in cookies.values()] == [f"keyline_session_{key}" for key in KEYS]
    both = "; ".join(cookies.values())
    swapped = cookies["crispr"].replace("crispr", "trials")
    assert crispr.is_logged_in(both) and trials.is_logged_in(both)
    assert not trials.is_logged_in(cookies["crispr"]) and not trials.is_logged_in(swapped)

    # A page of one saves there, and nowhere else; what it was signed with counts nowhere else.
    crispr.turn(monkeypatch)
    actor = actor_of(cookies["crispr"].partition("=")[2])
    assert actor
    with acting(actor):
        token = str(reading_view(1, "Ada")["token"])
    first = verdict(1)
    assert trials.save(token, both, first) == 403
    assert crispr.save(token, both, first) == 200
    assert (crispr.events(monkeypatch), trials.events(monkeypatch)) == ({first["id"]}, set())
    lists = [(site.folder / "other_projects.json").read_text() for site in sites.values()]
    assert "Trials of the heart" in lists[0] and "CRISPR screens" in lists[1]

    # One is killed and comes back; the other answers all the time.
    before = crispr.process(served)
    unmoved = trials.process(served).pid
    answered: list[bool] = []
    stop = threading.Event()
    watching = threading.Thread(target=watch, args=(trials, stop, answered))
    watching.start()
    before.kill()
    wait_until(lambda: crispr.process(served).pid != before.pid and crispr.answers(), START_SECONDS)
    stop.set()
    watching.join()
    assert answered and all(answered) and trials.process(served).pid == unmoved
    assert crispr.is_logged_in(both)

    # All stop when told; what was acknowledged until then is there.
    acknowledged: list[str] = []

    def save_on() -> None:
        while True:
            event = verdict(1)
            try:
                if crispr.save(token, both, event) != 200:
                    return
            except OSError:
                return
            acknowledged.append(event["id"])

    saving = threading.Thread(target=save_on)
    saving.start()
    wait_until(lambda: len(acknowledged) >= 3)
    apps = [site.process(served) for site in sites.values()]
    served.send_signal(signal.SIGTERM)
    assert psutil.wait_procs([served, *apps], timeout=START_SECONDS)[1] == []
    saving.join()
    assert {first["id"], *acknowledged} <= crispr.events(monkeypatch) and trials.events(monkeypatch) == set()
    log = (tmp_path / "log").read_text()
    assert len(re.findall("project begun", log)) == 3 and len(re.findall("project ended", log)) == 1
    assert len(re.findall("app stopped", log)) == 2 and "Traceback" not in log and "killed" not in log
