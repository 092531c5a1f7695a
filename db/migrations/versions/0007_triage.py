"""Triage: what is known of whether each article holds a key sentence, and what that was learnt from"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Applies the change."""
    op.create_table(
        "triage_fit",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("until_verdict", sa.Integer(), nullable=False),
        sa.Column("until_reading", sa.Integer(), nullable=False),
        sa.Column("counts", sa.JSON(), nullable=False),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
    )
    op.create_table(
        "triage_score",
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), primary_key=True, autoincrement=False),
        sa.Column("sentence_count", sa.Integer(), nullable=False),
        sa.Column("rules", sa.String(), nullable=False),
        sa.Column("cue", sa.Double(), nullable=False),
        sa.Column("probability", sa.Double(), nullable=True),
    )
