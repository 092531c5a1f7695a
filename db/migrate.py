"""Brings a database to the schema of this release."""

from contextlib import closing
from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError

import db.tables  # noqa: F401 (declares all tables)
from db.engine import LOCK, PATIENCE, Address, DatabaseNewerThanCode, engine, sqlite_module

MIGRATIONS = Path(__file__).parent / "migrations"
UPGRADE_MS = 600_000


def alembic_config() -> Config:
    """Alembic's configuration without an ini file."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    return config


@cache
def migration_scripts() -> ScriptDirectory:
    """The migrations of this release, read once a process."""
    return ScriptDirectory.from_config(alembic_config())


def migrate(address: Address) -> None:
    """Creates or upgrades the database, all or nothing, keeping a copy of an older SQLite file next to it.

    Raises DatabaseNewerThanCode where it was written by a later release.
    """
    if isinstance(address, Path):
        address.parent.mkdir(parents=True, exist_ok=True)
    scripts = migration_scripts()
    if schema_version(address) == scripts.get_current_head():
        return
    # Two processes may start at once: what is found under the lock counts, and is copied under it. Who comes second
    # waits for the first's copy and upgrade, however large, and finds them done.
    with engine(address).execution_options(**{PATIENCE: UPGRADE_MS}).begin() as connection:
        if not isinstance(address, Path):
            connection.exec_driver_sql(LOCK)
        current = MigrationContext.configure(connection).get_current_revision()
        if current == scripts.get_current_head():
            return
        if current is not None:
            try:
                scripts.get_revision(current)
            except CommandError:
                raise DatabaseNewerThanCode(
                    f"{address} was written by a newer release (schema {current}); update Keyline to open it."
                ) from None
            if isinstance(address, Path):
                back_up(address, address.with_name(f"{address.stem}-before-{scripts.get_current_head()}.sqlite"))
        config = alembic_config()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def schema_version(address: Address) -> str | None:
    """The revision of a database; None for an empty one."""
    with engine(address, read_only=True).connect() as connection:  # does not wait for writers
        return MigrationContext.configure(connection).get_current_revision()


def back_up(path: Path, target: Path) -> None:
    """Writes a sound copy of a live database; copying the file itself can tear it while it is written to."""
    target.unlink(missing_ok=True)
    with closing(sqlite_module.connect(path)) as source, closing(sqlite_module.connect(target)) as copy:
        source.backup(copy)
