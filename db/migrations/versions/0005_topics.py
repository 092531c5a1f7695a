"""Topics: what the project looks for, and by which topic proposals and versions were made"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Applies the change. What was made before says of no topic: NULL."""
    op.create_table(
        "topic",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("chosen_by", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
    )
    op.create_index("ix_topic_sha256_id", "topic", ["sha256", "id"])
    # Plain SQL: SQLite adds a column in place, while Alembic's batch mode would copy a table of 100,000 rows.
    op.execute("ALTER TABLE proposal_set ADD COLUMN topic_sha256 VARCHAR")
    op.execute("ALTER TABLE model_version ADD COLUMN topic_sha256 VARCHAR")
