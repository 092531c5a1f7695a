"""Commands of the project as a whole: backups, a copy on PostgreSQL, how it would start and stands, the sample."""

import argparse
import os
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from annotate.cli.frame.common import DONE, FAILED, IN_PART, Commands, Pages, Result, number
from annotate.gold import sample
from annotate.jobs.attending import showing
from annotate.jobs.lifecycle import run, start_after_other_work, start_if_none_runs
from annotate.operations import project_status, sealing, startup_checks
from annotate.operations.backup import read_backup, restore, settle_dump, write_backup, write_database_copy
from annotate.operations.backup_schedule import summary_of
from annotate.operations.copying import copy_to
from annotate.project import logs
from annotate.project.home import write
from annotate.project.notes import after_writing, note
from annotate.project.rights import Right
from annotate.work import HANDLERS, run_job

NO_KEY = "is in no backup: copy it from the old data folder, or give the receiver of a webhook a new secret"


def add_commands(commands: Commands) -> None:
    """Registers the commands of the project as a whole with the parser."""
    copying = commands.add("copy", _copy)
    copying.add_argument("--to", required=True, metavar="URL", help="postgresql://... of an empty database")
    backup = commands.add("backup", _backup)
    backup.add_argument("file", type=Path, help="a .tar; with .sqlite the database alone")
    backup.add_argument("--models-only", action="store_true", help="without the database (PostgreSQL has pg_dump)")
    restoring = commands.add("restore", _restore).add_mutually_exclusive_group(required=True)
    restoring.add_argument("file", type=Path, nargs="?")
    after = "end the logins, API tokens and jobs that lasted when the restored dump was made"
    restoring.add_argument("--after-pg-restore", action="store_true", help=after)
    commands.add("verify-backup", _verify_backup).add_argument("file", type=Path)
    head = "a head that was kept: its SHA-256, or a file of heads"
    commands.add("verify", _verify).add_argument("--head", metavar="HEAD", help=head)
    checking = commands.add("check", partial(_check, commands.pages))
    checking.add_argument("arguments", nargs="*", metavar="ARGUMENT", help="of streamlit run, after --")
    commands.add("status", lambda _: project_status.status())
    loading = commands.add("sample", _sample)
    loading.add_argument("--if-empty", action="store_true")
    serving = commands.add("serve", partial(_serve, commands.pages))
    serving.add_argument("--no-sample", action="store_true", help="leave a project without articles empty")
    serving.add_argument("arguments", nargs="*", metavar="ARGUMENT", help="of streamlit run, after --")
    commands.add("work", _work).add_argument("job", type=number)


def _check(pages: Pages, options: argparse.Namespace) -> Result:
    problems = startup_checks.check(pages.options_of_run(options.arguments))
    stored, keys = startup_checks.of_stored()
    problems += stored
    result: dict[str, Any] = {
        "starts": not startup_checks.refusals(problems),
        "refused for": [problem.text for problem in problems if problem.refuses],
        "warnings": [problem.text for problem in problems if not problem.refuses],
    }
    if options.json:  # they may be many
        result["split_wrongly"] = keys
    return (DONE if result["starts"] else FAILED), result


def _backup(options: argparse.Namespace) -> Result:
    if options.file.suffix.lower() == ".sqlite":
        if options.models_only:
            raise ValueError("--models-only needs a .tar: a .sqlite file holds the database alone")
        write_database_copy(options.file)
        result = {"backup": str(options.file), "bytes": options.file.stat().st_size}
    else:
        manifest = write_backup(options.file, models_only=options.models_only)
        result = {"backup": str(options.file), **summary_of(manifest, options.file)}
    with after_writing(result), write(Right.OPERATE) as session:
        note(session, "backup", f"Backed up to {options.file.name}", bytes=result["bytes"])
    return (IN_PART if result.get("left_out") else DONE), result


def _restore(options: argparse.Namespace) -> Result:
    if options.after_pg_restore:
        settle_dump()
        return {"ended": "the logins, API tokens and jobs that lasted when the dump was made"}
    manifest = restore(options.file)
    result = {"restored": str(options.file), "made_at": manifest["made_at"], "rows": manifest.get("rows", {})}
    return result | ({"secret.key": NO_KEY} if "schema" in manifest else {})


def _verify(options: argparse.Namespace) -> Result:
    with showing() as report:
        found = sealing.verify(options.head, report)
    return (DONE if found["holds"] else FAILED), found


def _verify_backup(options: argparse.Namespace) -> Result:
    manifest = read_backup(options.file)
    return {"sound": str(options.file), "made_at": manifest["made_at"], "files": len(manifest["files"])}


def _copy(options: argparse.Namespace) -> Result:
    with showing() as report:
        result = copy_to(options.to, report)
    lines = [f"{'table':<20} {'rows':>10}  SHA-256 on both sides"]
    lines += [f"{name:<20} {rows:>10,}  {sha256}" for name, rows, sha256 in result["tables"]]
    lines += [f"{'label set':<20} {'':>10}  {result['label_set_sha256']}", "equal: set DATABASE_URL, restart the app"]
    return result | {"text": "\n".join(lines)}


def _serve(pages: Pages, options: argparse.Namespace) -> NoReturn:
    """Replaces this process by the app; the sample is loaded behind it, and Start shows how far that is."""
    if not options.no_sample and sample.is_empty():
        start_if_none_runs("import", sample.PAYLOAD)
    program, *arguments = pages.command_of_app(options.arguments)
    os.execv(program, [program, *arguments])


def _sample(options: argparse.Namespace) -> Result:
    if options.if_empty and not sample.is_empty():
        return {"sample": "not loaded: there are articles already"}
    return _load_sample()


def _load_sample() -> dict[str, Any]:
    done = run_job("import", {"sample": True, "propose": True})
    if "entities" in HANDLERS:
        done |= run_job("entities", {})
    if "functions" in HANDLERS:
        start_after_other_work("functions", {})  # learns for longer than the rest takes: the app need not wait for it
    return done


def _work(options: argparse.Namespace) -> Result:
    logs.configure()  # standard error is the job's log
    return run(options.job, HANDLERS)
