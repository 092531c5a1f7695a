"""Alembic's entry: runs all pending migrations in one transaction on the connection that db.migrate hands over."""

from alembic import context

import db.tables  # noqa: F401 (declares all tables)
from db.base import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    # With BEGIN IMMEDIATE sent by our own event, SQLite rolls schema changes back whole after a kill.
    transactional_ddl=True,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
