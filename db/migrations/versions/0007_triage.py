"""Triage: what is known of whether each article holds a key sentence, and what that was learnt from"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Applies the change."""
    op.create_table(
        "triage_fit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("until_verdict", sa.Integer(), nullable=False),
        sa.Column("until_reading", sa.Integer(), nullable=False),
        sa.Column("counts", sa.JSON(), nullable=False),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_triage_fit")),
    )
    op.create_table(
        "triage_score",
        sa.Column("article_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("sentence_count", sa.Integer(), nullable=False),
        sa.Column("rules", sa.String(), nullable=False),
        sa.Column("cue", sa.Double(), nullable=False),
        sa.Column("probability", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["article_id"], ["article.id"], name=op.f("fk_triage_score_article_id")),
        sa.PrimaryKeyConstraint("article_id", name=op.f("pk_triage_score")),
    )


def downgrade() -> None:
    """Refuses: a release that does not know triage would leave its scores to grow old."""
    raise NotImplementedError("restore the copy that was made before the upgrade")
