"""What happens before the app serves anybody."""

import subprocess
import sys

import pytest

from tests.support.paths import ROOT

# As app.py begins, but for the settings of `streamlit run`; says how long a thread keeps the interpreter.
BEGIN = """
import sys
from annotate.operations import startup_checks
startup_checks.check = lambda options: []
from pages.parts.server.start import begin
begin()
print(sys.getswitchinterval())
"""


@pytest.mark.sqlite("the app's process")
def test_no_thread_of_the_app_keeps_the_interpreter_for_long(home):
    done = subprocess.run([sys.executable, "-c", BEGIN], cwd=ROOT, capture_output=True, text=True, check=True)
    assert float(done.stdout.splitlines()[-1]) == pytest.approx(0.0005)
