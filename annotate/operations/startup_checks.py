"""The checks before the app serves anybody: settings that would open it to others, Python, SQLite, the disk."""

import ipaddress
import json
import os
import stat
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from annotate.articles.importing.wrongly_split import split_wrongly
from annotate.articles.sentences import SplitsWrongly, check_splitter
from annotate.project.acting import Auth, auth, idle_limit
from annotate.project.home import database_address, home
from annotate.project.release import PROGRAM
from annotate.project.words import count_of
from annotate.team import second_factor
from annotate.team.addresses import trusted_proxies
from db.engine import DATABASE_ERRORS, reading, sqlite_module, wal_is_safe
from db.migrate import schema_version

COOKIE_SECRET_BYTES = 32
NETWORK = ("nfs", "cifs", "smb", "fuse.sshfs", "9p", "afs", "ceph", "glusterfs", "lustre")
WAL_REMEDY = (
    "This SQLite can corrupt a write-ahead log (3.7.0 to 3.51.2, fixed in 3.51.3), so Keyline works without one, which "
    "is slower: install pysqlite3 (requirements.txt) or a newer SQLite."
)
SPLIT_SOME = f"Some articles have too few sentences: {PROGRAM} check names them."
SPLIT_CAUSE = "An earlier release split them wrongly on Python 3.11.0 to 3.11.4."
SPLIT_REMEDY = (
    "What was said of them holds for whole paragraphs. Import their files into a new data folder: "
    "docs/troubleshooting.md tells how, under Articles with too few sentences."
)
NAMED = 5  # articles in a warning
# The options of Streamlit that must have these values, and what each one would let happen.
REQUIRED: dict[str, tuple[Any, str]] = {
    "server.enableCORS": (True, "other web sites could open a session in a visitor's name"),
    "server.enableXsrfProtection": (True, "other web sites could upload in a visitor's name"),
    "server.maxUploadSize": (20, "uploads stay in memory, which larger ones could fill"),
    "server.enableStaticServing": (False, "files next to the app would be served to everybody"),
    "server.enableAgentApi": (False, "programs could drive the app without a login"),
    "server.trustedUserHeaders": ({}, "all who reach the port could claim to be anybody"),
    "server.baseUrlPath": ("", "pages would save to addresses that are not there; give Keyline a name of its own"),
    "client.showErrorDetails": ("none", "errors would show code and data to everybody"),
}
# All that `check` asks for.
OPTIONS = (*REQUIRED, "server.address", "server.allowedHosts", "secrets.files")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, in one line that says the remedy. The app does not start with one that `refuses`."""

    text: str
    refuses: bool = True


def check(options: Mapping[str, Any]) -> list[Problem]:
    """Problems of Streamlit's options (by name, as OPTIONS lists them), Python, SQLite and the data folder.

    Changes nothing and opens no database.
    """
    try:
        way = auth()
    except ValueError as error:
        return [Problem(f"{error}.")]
    problems = _binding(options, way) + _options(options)
    for setting in (trusted_proxies, idle_limit, second_factor.is_required):
        problems += _raised(setting, ValueError)
    if way is Auth.OIDC:
        problems += _secrets([Path(path) for path in options.get("secrets.files") or ()])
    return problems + _raised(check_splitter, SplitsWrongly) + _storage()


def of_stored() -> tuple[list[Problem], list[str]]:
    """Problems of the stored data that keep no app from starting, and the keys of all articles that were split wrongly.
    Reads the database as it is, without any migration."""
    address = database_address()
    try:
        if (isinstance(address, Path) and not address.exists()) or schema_version(address) is None:
            return [], []
        with reading(address) as session:
            keys = split_wrongly(session)
    except DATABASE_ERRORS as error:
        words = f"the database cannot be read, so that its articles were not looked at: {getattr(error, 'orig', error)}"
        return [Problem(words, refuses=False)], []
    if not keys:
        return [], []
    named = ", ".join(keys[:NAMED]) + (f" and {len(keys) - NAMED:,} more" if len(keys) > NAMED else "")
    words = f"Too few sentences in {count_of(len(keys), 'article')} ({named}). {SPLIT_CAUSE} {SPLIT_REMEDY}"
    return [Problem(words, refuses=False)], keys


def refusals(problems: Sequence[Problem]) -> str:
    """What the app says when it does not start: one line each; empty where it may."""
    return "\n".join(f"Keyline does not start: {problem.text}" for problem in problems if problem.refuses)


def _binding(options: Mapping[str, Any], way: Auth) -> list[Problem]:
    address = options.get("server.address")
    shown = address or "all addresses"
    if way is Auth.OFF and not _is_loopback(address):
        return [
            Problem(
                f"it would listen on {shown} without login (KEYLINE_AUTH is off). Set server.address to 127.0.0.1, or "
                "KEYLINE_AUTH to local or oidc."
            )
        ]
    # On loopback too: a web site whose name leads there would be taken for Keyline itself by a visitor's browser.
    hosts = options.get("server.allowedHosts") or ["*"]
    if "*" in hosts:
        text = f"it would listen on {shown} and answer under any name. Set server.allowedHosts to the names it serves."
        return [Problem(text)]
    return []


def _is_loopback(address: Any) -> bool:
    if not address:  # Streamlit then takes all addresses
        return False
    if str(address).startswith("unix://") or address == "localhost":
        return True
    try:
        return ipaddress.ip_address(str(address)).is_loopback
    except ValueError:
        return False


def _raised(demand: Callable[[], object], error: type[Exception]) -> list[Problem]:
    """The problem that a check raises, or none."""
    try:
        demand()
    except error as problem:
        return [Problem(f"{problem}.")]
    return []


def _options(options: Mapping[str, Any]) -> list[Problem]:
    return [
        Problem(
            f"{name} is {options[name]!r}: {danger}. "
            f"Set it to {'nothing' if wanted == {} else json.dumps(wanted)} in .streamlit/config.toml."
        )
        for name, (wanted, danger) in REQUIRED.items()
        # An option that this Streamlit does not know, or that is not set, is None.
        if (options.get(name) or None) != (wanted or None)
    ]


def _secrets(paths: Sequence[Path]) -> list[Problem]:
    """The cookie's secret signs logins: a person who knows or guesses it can be anybody."""
    problems = []
    secret: Any = None
    for path in paths:
        if not path.is_file():
            continue
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            problems.append(Problem(f"{path.name} can be read by others on this machine. Run: chmod 600 {path}"))
        try:
            secret = tomllib.loads(path.read_text()).get("auth", {}).get("cookie_secret", secret)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, AttributeError) as error:
            problems.append(Problem(f"{path.name} is no TOML with a table auth ({error})."))
    length = len(secret.encode()) if isinstance(secret, str) else 0
    if length < COOKIE_SECRET_BYTES:
        text = (
            f"KEYLINE_AUTH is oidc, and auth.cookie_secret in secrets.toml has {length} bytes, fewer than "
            f"{COOKIE_SECRET_BYTES}. Make one: python -c 'import secrets; print(secrets.token_urlsafe(32))'"
        )
        problems.append(Problem(text))
    return problems


def _storage() -> list[Problem]:
    """Warnings, unless nothing can be written: without a write-ahead log Keyline is slower, a network disk may do its
    locks well, and others may be meant to read."""
    problems = []
    address = database_address()
    if isinstance(address, Path):
        if not wal_is_safe(sqlite_module.sqlite_version_info):
            problems.append(Problem(f"SQLite {sqlite_module.sqlite_version}: {WAL_REMEDY}", refuses=False))
        if kind := network_file_system(address):
            text = f"the data folder lies on a network file system ({kind}), where SQLite's locks may not hold: move "
            problems.append(Problem(f"{text}KEYLINE_HOME to a local disk.", refuses=False))
    folder = home()
    if folder.exists() and stat.S_IMODE(folder.stat().st_mode) & 0o077:
        text = f"{folder} can be read by others on this machine. If they are not to, run: chmod -R go= {folder}"
        problems.append(Problem(text, refuses=False))
    if folder.exists() and not os.access(folder, os.W_OK | os.X_OK):
        problems.append(Problem(f"{folder} cannot be written to. Give it to the user that runs Keyline."))
    return problems


def network_file_system(path: Path) -> str | None:
    """The kind of network file system that a path lies on; None for a local one, or where that is not told."""
    kinds = {mounted.mountpoint: mounted.fstype for mounted in psutil.disk_partitions(all=True)}
    kind = next((kinds[str(folder)] for folder in (path, *path.parents) if str(folder) in kinds), "")
    return kind if kind.startswith(NETWORK) else None
