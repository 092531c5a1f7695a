"""The id under which a program asked for a job, and indexes for it and for MeSH terms"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Applies the change."""
    op.add_column("job", sa.Column("event_id", sa.String(), nullable=True))
    _note_events()
    op.create_index("ix_job_event_id", "job", ["event_id"])
    op.create_index(
        "ix_section_mesh",
        "section",
        ["article_id"],
        unique=False,
        sqlite_where=sa.text("kind = 'mesh'"),
        postgresql_where=sa.text("kind = 'mesh'"),
    )


def _note_events() -> None:
    """Copies the ids out of what jobs were told, in Python: PostgreSQL cannot look into JSON that holds a NUL."""
    job = sa.table("job", sa.column("id"), sa.column("payload", sa.JSON), sa.column("event_id"))
    held = sa.select(job.c.id, job.c.payload).where(sa.cast(job.c.payload, sa.String).contains('"event"'))
    for number, payload in op.get_bind().execute(held).all():
        if isinstance(payload, dict) and isinstance(payload.get("event"), str):
            op.execute(job.update().where(job.c.id == number).values(event_id=payload["event"]))
