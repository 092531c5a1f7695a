"""The commands that write backups, restore one, and check how the app would start."""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from annotate import startup
from annotate.backup import read_backup, restore, write_backup, write_database_copy
from annotate.backup_schedule import summary_of
from annotate.cli_common import DONE, FAILED, IN_PART, Commands, Result
from annotate.history import note
from annotate.home import write
from annotate.release import ROOT
from annotate.rights import Right


def add_commands(commands: Commands) -> None:
    """Declares backup, restore, verify-backup and check."""
    backup = commands.add("backup", _backup, "Write the database and the model files to one file, while all is in use.")
    backup.add_argument("file", type=Path, help="a .tar; with .sqlite the database alone")
    backup.add_argument("--models-only", action="store_true", help="without the database (PostgreSQL has pg_dump)")
    commands.add("restore", _restore, "Make an empty data folder from a backup: all of it, or nothing.").add_argument(
        "file", type=Path
    )
    verify = commands.add("verify-backup", _verify, "Read a backup and compare every file with its SHA-256.")
    verify.add_argument("file", type=Path)
    checking = commands.add("check", _check, "Say whether the app would start with these settings, and what is wrong.")
    checking.add_argument("arguments", nargs="*", metavar="ARGUMENT", help="of streamlit run, after --")


def _check(options: argparse.Namespace) -> Result:
    """Streamlit tells its own options, in a process of its own: they come from files and from the environment."""
    code = (
        "import json, sys; from pages.parts import beginning; print(json.dumps(beginning.options_of_run(sys.argv[1:])))"
    )
    command = [sys.executable, "-c", code, *options.arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"Streamlit does not start: {done.stderr.strip()[-300:]}")
    problems = startup.check(json.loads(done.stdout))
    result = {
        "starts": not startup.refusals(problems),
        "refused for": [problem.text for problem in problems if problem.refuses],
        "warnings": [problem.text for problem in problems if not problem.refuses],
    }
    return (DONE if result["starts"] else FAILED), result


def _backup(options: argparse.Namespace) -> Result:
    if options.file.suffix == ".sqlite":
        write_database_copy(options.file)
        result = {"backup": str(options.file), "bytes": options.file.stat().st_size}
    else:
        manifest = write_backup(options.file, models_only=options.models_only)
        result = {"backup": str(options.file), **summary_of(manifest, options.file)}
    with write(Right.OPERATE) as session:
        note(session, "backup", f"Backed up to {options.file.name}", bytes=result["bytes"])
    return (IN_PART if result.get("left_out") else DONE), result


def _restore(options: argparse.Namespace) -> Result:
    manifest = restore(options.file)
    return DONE, {"restored": str(options.file), "made_at": manifest["made_at"], "rows": manifest.get("rows", {})}


def _verify(options: argparse.Namespace) -> Result:
    manifest = read_backup(options.file)
    return DONE, {"sound": str(options.file), "made_at": manifest["made_at"], "files": len(manifest["files"])}
