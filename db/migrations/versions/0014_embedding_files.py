"""Which file beside the database holds the embeddings of an article"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Applies the change."""
    op.add_column("embedding", sa.Column("file", sa.String(), nullable=True))
    op.add_column("embedding", sa.Column("sha256", sa.String(), nullable=True))
    op.create_index(
        "ix_embedding_file",
        "embedding",
        ["version_id", "file"],
        unique=False,
        sqlite_where=sa.text("file IS NOT NULL"),
        postgresql_where=sa.text("file IS NOT NULL"),
    )
