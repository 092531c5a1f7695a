"""The long form of load, faults and fuzzing: what a release asks for. Takes hours.

    python -m tests.measure.soak [--only L1,F5] [--scale 0.1] > soak.json

Each line of docs/reliability.md runs in a process of its own, one after the other, and gets a row of a table (on
standard error) and an entry of the JSON (on standard output). Exit code 1: a promise is broken; 3: a figure is beyond
the bar, which on a busy machine says little.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from tests.support.paths import ROOT
from tests.support.postgres import ABSENT, programs

HOUR = 3600
# The least share at which every repeated test still repeats what it needs.
LEAST_SCALE = 0.05
PEAK_MB = 512
BROKEN, SLOW = 1, 3

# Figures, broken promises, slow figures; with the reason instead of all where nothing could be run.
Found = tuple[dict[str, Any], list[str], list[str]]


class NotRun(RuntimeError):
    """A line that this machine cannot run; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Long:
    """One line of the bar: what it is, and what runs it at a share of its length."""

    what: str
    run: Callable[[float], Found]


def finished(command: list[str], scale: float) -> subprocess.CompletedProcess[str]:
    """The ended process of this Python with these arguments, on a data folder and database of its own."""
    kept = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "KEYLINE_HOME")}
    environment = kept | {"PYTHONPATH": str(ROOT), "KEYLINE_SOAK": str(scale), "HF_HUB_OFFLINE": "1"}
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def load(program: str, *options: str, long: float | None = None) -> Callable[[float], Found]:
    """Runs a measurement; where it may last longer or shorter, its last option is how long."""

    def run(scale: float) -> Found:
        if program == "load_postgresql" and programs() is None:
            raise NotRun(ABSENT)
        length = [] if long is None else [str(max(1, round(long * scale)))]
        done = finished(["-m", f"tests.measure.{program}", *options, *length, "--json"], scale)
        if done.returncode not in (0, BROKEN, SLOW) or not done.stdout.strip():
            return {}, [f"ended with {done.returncode}: {done.stderr[-500:]}"], []
        line = json.loads(done.stdout.splitlines()[-1])
        return line["figures"], line["broken"], line["slow"]

    return run


def repeated(*names: str) -> Callable[[float], Found]:
    """Runs repeated tests; what they recorded are the figures."""

    def run(scale: float) -> Found:
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.xml"
            paths = [f"tests/{name}" for name in names]
            options = ["-p", "no:cacheprovider", f"--timeout={2 * HOUR}", f"--junitxml={report}"]
            done = finished(["-m", "pytest", *options, *paths], scale)
            if not report.exists():
                return {}, [f"ended with {done.returncode}: {done.stderr[-500:]}"], []
            cases = list(ElementTree.parse(report).iter("testcase"))
        if skipped := [case.find("skipped") for case in cases if case.find("skipped") is not None]:
            raise NotRun("; ".join({entry.get("message", "") for entry in skipped if entry is not None}))
        figures = {entry.get("name", ""): entry.get("value") for case in cases for entry in case.iter("property")}
        broken = [
            f"{case.get('name')}: {entry.get('message', '')[:500]}"
            for case in cases
            for entry in (*case.findall("failure"), *case.findall("error"))
        ]
        if len(cases) < len(names) or (done.returncode and not broken):
            broken.append(f"pytest ended with {done.returncode} after {len(cases)} tests")
        return {"tests": len(cases), **figures}, broken, []

    return run


def fuzz(scale: float) -> Found:
    """An hour of broken files."""
    done = finished(["-m", "tests.measure.fuzz", "--minutes", str(60 * scale)], scale)
    if done.returncode:
        return {}, [done.stderr[-2_000:]], []
    figures = json.loads(done.stdout.splitlines()[-1])
    broken = [] if figures["peak_mb"] <= PEAK_MB else [f"{figures['peak_mb']} MB at the peak"]
    return {name: figures[name] for name in ("cases", "seconds", "peak_mb")}, broken, []


KILL, CLICKS, RACES = "faults/test_kill.py::", "faults/test_clicks.py::", "annotate/team/test_adjudication.py::"
AWAY, WORKERS = "faults/test_postgresql.py::", "faults/test_workers.py::"
RELEASES = "db/test_migrate_released.py::"
LINES = {
    "L1": Long("50 experts beside import and training", load("load", "L1", "--seconds", long=600)),
    "L2": Long("8 writers without pause", load("load", "L2", "--seconds", long=30)),
    "L3": Long("200 experts on PostgreSQL", load("load_postgresql", "--seconds", long=600)),
    "L4": Long("30 experts at the running app", load("load_server", "L4", "--seconds", long=600)),
    "L5": Long("a large project", load("load", "L5", "--seconds", long=60)),
    "L6": Long("reruns without end", load("load_server", "L6", "--reruns", long=100_000)),
    "refusals": Long("each hostile file is refused at once", load("refusals")),
    "strangers": Long("clicks beside four strangers who knock", load("strangers")),
    "F1": Long(
        "killed while it writes",
        repeated(
            f"{KILL}test_a_process_killed_while_it_records_loses_and_doubles_nothing",
            f"{KILL}test_the_app_killed_while_it_saves_loses_and_doubles_nothing",
        ),
    ),
    "F3": Long(
        "a training killed",
        repeated(
            f"{WORKERS}test_a_training_that_is_killed_again_and_again_ends_with_the_weights_of_an_uninterrupted_one"
        ),
    ),
    "F5": Long(
        "killed in promotion or rollback",
        repeated(f"{KILL}test_exactly_one_version_proposes_after_a_kill_in_promotion_or_rollback"),
    ),
    "F9": Long(
        "each release upgraded, killed or not",
        repeated(
            f"{RELEASES}test_a_released_database_is_upgraded_and_keeps_every_value",
            f"{RELEASES}test_a_kill_after_each_statement_leaves_the_old_state_and_the_next_try_succeeds",
        ),
    ),
    "F11": Long(
        "one sentence decided twice at once",
        repeated(
            f"{RACES}test_two_annotators_at_once_are_both_kept_and_the_sentence_is_disputed",
            f"{RACES}test_a_double_click_is_one_decision",
            f"{RACES}test_of_two_curators_at_once_the_second_is_told",
        ),
    ),
    "F12": Long(
        "cut, closed, restarted",
        repeated(f"{CLICKS}test_what_was_acknowledged_is_on_the_page_again_after_a_cut_a_closed_tab_and_a_kill"),
    ),
    "F13": Long(
        "faster than it draws",
        repeated(
            f"{CLICKS}test_clicks_at_random_break_no_page_and_lose_no_verdict",
            f"{CLICKS}test_a_rerun_that_cuts_the_one_before_off_leaves_every_write_whole",
        ),
    ),
    "restart": Long(
        "killed in a large project",
        repeated("faults/test_restart.py::test_the_app_is_back_within_ten_seconds_of_a_kill_in_a_large_project"),
    ),
    "F19": Long(
        "history changed by SQL",
        repeated("db/operations/test_seals.py::test_any_byte_of_any_row_that_is_changed_by_sql_is_found"),
    ),
    "baseline": Long(
        "a whole file of PubMed",
        repeated("annotate/articles/test_parsing_medline.py::test_a_real_baseline_file_is_read_in_flat_memory"),
    ),
    "F16": Long(
        "PostgreSQL killed",
        repeated(
            f"{AWAY}test_a_kill_of_the_server_loses_nothing_that_was_acknowledged",
            f"{AWAY}test_a_kill_in_the_middle_of_writing_loses_and_doubles_nothing",
        ),
    ),
    "fuzz": Long("files broken at random", fuzz),
}


def measured(name: str, scale: float) -> dict[str, Any]:
    """The entry of one line. `kept` says whether its promises held, None where it was not run."""
    begun = time.monotonic()
    entry: dict[str, Any] = {"line": name, "what": LINES[name].what, "kept": None, "exit_code": 0}
    try:
        figures, broken, slow = LINES[name].run(scale)
    except NotRun as reason:
        return entry | {"not_run": str(reason)}
    entry |= {"kept": not broken, "exit_code": BROKEN if broken else SLOW if slow else 0}
    entry |= {"figures": figures, "broken": broken, "slow": slow, "minutes": round((time.monotonic() - begun) / 60, 1)}
    return entry | {"load_average": [round(number, 2) for number in os.getloadavg()]}


def row(entry: dict[str, Any]) -> str:
    """The same as a row of the table, with a line for each thing that is not as it should be."""
    kept = {True: "kept", False: "BROKEN", None: "not run"}[entry["kept"]]
    figures = ", ".join(f"{name} {value}" for name, value in entry.get("figures", {}).items())
    shown = [f"{entry['line']:5} {entry['what']:38} {kept:8} {entry['exit_code']:4}  {entry.get('not_run', figures)}"]
    shown += [f"      {kind}: {text}" for kind in ("broken", "slow") for text in entry.get(kind, ())]
    return "\n".join(shown)


def main() -> int:
    """Runs from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help=f"some of {','.join(LINES)}")
    parser.add_argument("--scale", type=float, default=1.0, help="the share of the full length, to try it")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(LINES)
    if unknown := set(names) - set(LINES):
        parser.error(f"no line {', '.join(sorted(unknown))}; there are {', '.join(LINES)}")
    if not LEAST_SCALE <= options.scale <= 1:
        parser.error(f"--scale is {options.scale:g}; it must be from {LEAST_SCALE:g} to 1")
    print(f"{'line':5} {'what':38} {'promise':8} exit  figures", file=sys.stderr)
    entries = []
    for name in names:
        entries.append(measured(name, options.scale))
        print(row(entries[-1]), file=sys.stderr, flush=True)
    print(json.dumps(entries, indent=1))
    codes = {entry["exit_code"] for entry in entries}
    return BROKEN if BROKEN in codes else SLOW if SLOW in codes else 0


if __name__ == "__main__":
    sys.exit(main())
