"""Audits of evaluation errors, reports, learned rankers, runs of experiments"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Applies the change."""
    op.create_table(
        "experiment_run",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("experiment", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("corpus", sa.JSON(), nullable=False),
        sa.Column("encoder", sa.String(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.Column("articles", sa.JSON(), nullable=False),
        sa.Column("history", sa.JSON(), nullable=False),
        sa.Column("device", sa.String(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.UniqueConstraint("experiment", "key"),
    )
    op.create_table(
        "ranker",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("version_id", sa.Integer(), sa.ForeignKey("model_version.id"), nullable=False),
        sa.Column("label_set_sha256", sa.String(), nullable=False),
        sa.Column("weights", sa.JSON(), nullable=False),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
    )
    op.create_index("ix_ranker_version_id_id", "ranker", ["version_id", "id"])
    op.create_table(
        "report",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("version_id", sa.Integer(), sa.ForeignKey("model_version.id"), nullable=False),
        sa.Column("ranking", sa.String(), nullable=False),
        sa.Column("split", sa.String(), nullable=False),
        sa.Column("label_set_sha256", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
    )
    op.create_index("ix_report_version_id_id", "report", ["version_id", "id"])
    op.create_table(
        "audit_verdict",
        sa.Column("sentence_id", sa.Integer(), sa.ForeignKey("sentence.id"), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("ranking", sa.String(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("cosine", sa.Double(), nullable=False),
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("event_id", sa.String(), unique=True, nullable=False),
        sa.Column("annotator_id", sa.Integer(), sa.ForeignKey("annotator.id"), nullable=False),
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), nullable=False),
        sa.Column("given_at", sa.String(), nullable=False),
        sa.Column("stored_at", sa.String(), nullable=False),
    )
    op.create_index("ix_audit_verdict_article_id_id", "audit_verdict", ["article_id", "id"])
