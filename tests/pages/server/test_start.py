"""What happens before the app serves anybody."""

import platform
import re
import subprocess
import sys

import pytest
from streamlit.testing.v1 import AppTest

from annotate.topics.project_topic import current_topic, use_topic
from tests.support.paths import ROOT
from tests.support.topics import SMALL

# As app.py begins, but for the settings of `streamlit run`.
BEGIN = """
import sys
from annotate.operations import startup_checks
startup_checks.check = lambda options: []
from pages.parts.server.start import begin
begin()
"""
# Sixteen threads that allocate at the same time, then what malloc itself tells, on standard output.
ALLOCATE = """
import ctypes, threading
together = threading.Barrier(16)
def work():
    together.wait()
    for _ in range(200):
        [bytes(700) for _ in range(500)]
threads = [threading.Thread(target=work) for _ in range(16)]
for thread in threads: thread.start()
for thread in threads: thread.join()
libc = ctypes.CDLL(None)
libc.fdopen.restype = ctypes.c_void_p
libc.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]
libc.fflush.argtypes = [ctypes.c_void_p]
out = libc.fdopen(1, b"w")
libc.malloc_info(0, out)
libc.fflush(out)
"""


def printed(program: str) -> str:
    """What a Python of its own prints that runs this."""
    return subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def printed_by_the_app(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the app's process prints once it has begun: for how long a thread keeps the interpreter, and its heaps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KEYLINE_HOME", str(tmp_path_factory.mktemp("begun") / "keyline"))
        patch.delenv("DATABASE_URL", raising=False)
        return printed(f"{BEGIN}print(sys.getswitchinterval(), flush=True){ALLOCATE}")


def test_no_thread_of_the_app_keeps_the_interpreter_for_long(printed_by_the_app):
    assert float(printed_by_the_app.partition("<malloc")[0].splitlines()[-1]) == pytest.approx(0.0005)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc gives threads heaps of their own")
def test_all_threads_of_the_app_share_two_heaps(printed_by_the_app):
    def heaps(told: str) -> int:
        return len(re.findall("<heap nr=", told))

    assert heaps(printed(ALLOCATE)) > 2
    assert 1 <= heaps(printed_by_the_app) <= 2


def test_a_page_that_meets_a_slow_pattern_says_so_and_does_without_it_from_then_on(home, monkeypatch):
    begun = []
    monkeypatch.setattr("annotate.jobs.lifecycle.start_after_other_work", lambda kind, payload: begun.append(kind))
    use_topic(SMALL, by="Anna")

    def page():
        from annotate.topics.project_topic import current_topic
        from model.proposing.bounded import Place, SlowPattern
        from pages.parts.server.start import page_failed

        assert page_failed(SlowPattern(Place(current_topic().rules_sha256, "cues.1.words")))

    (told,) = AppTest.from_function(page).run().warning
    assert (
        told.value.replace("\\", "")
        == "The topic's cues.1.words searches too long and is left out from now on. Load the page again."
    )
    assert [field for field, _ in current_topic().left_out] == ["cues.1.words"] and begun == ["propose"]
