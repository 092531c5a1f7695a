"""A chain of seals over all that people did: what is there waits for its seal, as it was found"""

import json
from contextlib import suppress

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"

# The tables that are sealed, each with its columns of JSON.
SEALED = {
    "account": (),
    "annotator": (),
    "api_token": (),
    "article_removal": (),
    "article_tag": (),
    "assignment": (),
    "audit_verdict": (),
    "comment": (),
    "document_label": ("synonyms", "identifiers"),
    "function_example": (),
    "gold_snapshot": ("manifest",),
    "history": ("details",),
    "job": ("payload",),
    "login_session": (),
    "model_version": ("manifest", "settings", "trained_on", "metrics", "history"),
    "own_function": (),
    "promotion": (),
    "question": ("question",),
    "queue_request": (),
    "reading": (),
    "related_verdict": (),
    "relevance": (),
    "setting": ("content",),
    "topic": (),
    "verdict": ("labels",),
}


def upgrade() -> None:
    """Applies the change."""
    waits = sa.text("chain IS NULL")
    op.create_table(
        "seal",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("table_name", sa.String(), nullable=False),
        sa.Column("row_id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String()),
        sa.Column("chain", sa.String()),
        sa.Column("sealed_at", sa.String()),
    )
    op.create_index("ix_seal_waiting", "seal", ["id"], sqlite_where=waits, postgresql_where=waits)
    for table, columns in SEALED.items():
        for column in columns:
            _write_as_today(table, column)
    rows = " UNION ALL ".join(f"SELECT '{table}' AS table_name, id AS row_id FROM {table}" for table in SEALED)
    op.execute(f"INSERT INTO seal (table_name, row_id) SELECT '', count(*) FROM ({rows}) AS found HAVING count(*) > 0")
    op.execute(f"INSERT INTO seal (table_name, row_id) SELECT table_name, row_id FROM ({rows}) AS found")


def _write_as_today(table: str, column: str) -> None:
    """JSON that an earlier migration put together is written as the application writes it: a copy into another database
    does so too, and must not look like a change."""
    connection = op.get_bind()
    kind = "json" if connection.dialect.name == "postgresql" else "text"
    changed = sa.text(f"UPDATE {table} SET {column} = CAST(:written AS {kind}) WHERE id = :id")
    stored = sa.text(f"SELECT id, CAST({column} AS text) AS written FROM {table} WHERE {column} IS NOT NULL")
    for number, text in connection.execute(stored).all():
        with suppress(ValueError):  # no JSON at all: what cannot be read stays
            if (written := json.dumps(json.loads(text))) != text:
                connection.execute(changed, {"id": number, "written": written})
