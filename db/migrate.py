"""Brings a database file to the schema of this release."""

from contextlib import closing
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError

import db.learning_tables  # noqa: F401 (tables.py refers to its tables)
from db.engine import DatabaseNewerThanCode, engine, sqlite_module

MIGRATIONS = Path(__file__).parent / "migrations"


def alembic_config() -> Config:
    """Alembic's configuration without an ini file."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    return config


def migrate(path: Path) -> None:
    """Creates or upgrades the database at `path`, all or nothing, keeping a copy of an older one beside it.

    Raises DatabaseNewerThanCode where the file was written by a later release.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    config = alembic_config()
    scripts = ScriptDirectory.from_config(config)
    with engine(path).connect() as connection:
        current = MigrationContext.configure(connection).get_current_revision()
        connection.rollback()
    if current == scripts.get_current_head():
        return
    if current is not None:
        _refuse_newer(scripts, current, path)
        back_up(path, path.with_name(f"{path.stem}-before-{scripts.get_current_head()}.sqlite"))
    with engine(path).begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def back_up(path: Path, target: Path) -> None:
    """Writes a sound copy of a live database; copying the file itself can tear it while it is written to."""
    target.unlink(missing_ok=True)
    with closing(sqlite_module.connect(path)) as source, closing(sqlite_module.connect(target)) as copy:
        source.backup(copy)


def _refuse_newer(scripts: ScriptDirectory, current: str, path: Path) -> None:
    try:
        scripts.get_revision(current)
    except CommandError:
        raise DatabaseNewerThanCode(
            f"{path} was written by a newer release (schema {current}); update Keyline to open it."
        ) from None
