"""History that proves itself: once a minute what people did is sealed, and the last seal is kept outside the database.

The file of heads is only added to, a line for each minute in which anything was sealed: time, entry, SHA-256.
"""

import os
import re
from pathlib import Path
from typing import Any

import db.operations.seals
from annotate.project.files.characters import text_of
from annotate.project.home import folder, home, look_up, read, write
from annotate.project.rights import Right
from annotate.project.whole_files import add_line
from db.operations.seals import UNSEALED, Head, Problem

# Names in the data folder.
FOLDER, NAME = "seals", "heads.txt"
_SHA256 = re.compile("[0-9a-f]{64}")
LAST_BYTES = 1_000  # of the file: its last lines
UNMET = "seals up to it were removed or made again, or an earlier copy of the database took its place"


def heads_file() -> Path:
    """Where the heads are kept, in the data folder."""
    return home() / FOLDER / NAME


def seal_all() -> int:
    """Seals all that waits, some rows a transaction, and adds the head to the file; returns how many entries."""
    sealed = 0
    while look_up(db.operations.seals.is_waiting):
        with write(Right.SYSTEM) as session:
            sealed += db.operations.seals.seal_some(session)
    # Added after the commit: a head that is kept stands in the chain. Where the process ended in between, it is added
    # in the next round.
    if (last := look_up(db.operations.seals.head)) and last.chain not in _last_lines():
        add_line(folder(FOLDER) / NAME, line_of(last))
    return sealed


def line_of(head: Head) -> str:
    """A head as it is kept and given out."""
    return f"{head.at} {head.entry} {head.chain}"


def _last_lines() -> str:
    try:
        with heads_file().open("rb") as file:
            file.seek(-min(LAST_BYTES, file.seek(0, os.SEEK_END)), os.SEEK_END)
            return file.read().decode()
    except FileNotFoundError:
        return ""


def _chain_of(line: str) -> str:
    """The SHA-256 at the end of a line of heads; empty where there is none."""
    _, _, chain = line.rpartition(" ")
    return chain if _SHA256.fullmatch(chain) else ""


def verify(kept: str | None = None, report: Any = lambda *_: None) -> dict[str, Any]:
    """Seals what waits, reads the whole chain and compares every row with its seal, and all heads that were kept.

    `kept`: a file of heads that somebody took away, or one SHA-256. Returns {holds, rows, entries, as_found, erased,
    head} and, where it does not hold, {problem, problems}. Raises ValueError for what is neither, OSError.
    """
    own = heads_file().read_text().splitlines() if heads_file().exists() else []
    given = [] if kept is None else [kept] if _chain_of(kept) == kept else text_of(Path(kept)).splitlines()
    if wrong := [line for line in given if line.strip() and not _chain_of(line)]:
        raise ValueError(f"{wrong[0]!r} is no head: a line of time, entry and SHA-256")
    heads = {chain: line for line in (*own, *given) if (chain := _chain_of(line))}  # a full disk may have cut one off
    seal_all()
    with read() as session:
        proof = db.operations.seals.prove(session, heads, report)
    problems = [_in_words(problem) for problem in proof.problems]
    problems += [f"the chain does not hold the head {heads[chain]}: {UNMET}" for chain in heads if chain in proof.unmet]
    found = {
        "holds": not problems,
        "rows": proof.rows,
        "entries": proof.entries,
        "as_found": proof.as_found,
        "erased": proof.erased,
        "head": line_of(proof.head) if proof.head else "none: nothing was done yet",
    }
    return found | ({"problem": problems[0], "problems": len(problems)} if problems else {})


def _in_words(problem: Problem) -> str:
    sealed = (
        f"the row before it was sealed {problem.at or 'never'}" if problem.what == UNSEALED else f"sealed {problem.at}"
    )
    return f"table {problem.table or 'seal'}, row {problem.row_id}, {sealed}: {problem.what}"
