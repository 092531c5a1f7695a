"""Audits of evaluation errors, reports, learned rankers, runs of experiments"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Applies the change."""
    op.create_table(
        "experiment_run",
        sa.Column("id", sa.Integer(), nullable=False),
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
        sa.PrimaryKeyConstraint("id", name=op.f("pk_experiment_run")),
        sa.UniqueConstraint("experiment", "key", name=op.f("uq_experiment_run_experiment_key")),
    )
    op.create_table(
        "ranker",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("label_set_sha256", sa.String(), nullable=False),
        sa.Column("weights", sa.JSON(), nullable=False),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["version_id"], ["model_version.id"], name=op.f("fk_ranker_version_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ranker")),
    )
    with op.batch_alter_table("ranker", schema=None) as batch_op:
        batch_op.create_index("ix_ranker_version_id_id", ["version_id", "id"], unique=False)

    op.create_table(
        "report",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("ranking", sa.String(), nullable=False),
        sa.Column("split", sa.String(), nullable=False),
        sa.Column("label_set_sha256", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["version_id"], ["model_version.id"], name=op.f("fk_report_version_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_report")),
    )
    with op.batch_alter_table("report", schema=None) as batch_op:
        batch_op.create_index("ix_report_version_id_id", ["version_id", "id"], unique=False)

    op.create_table(
        "audit_verdict",
        sa.Column("sentence_id", sa.Integer(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("ranking", sa.String(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("cosine", sa.Double(), nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("article_id", sa.Integer(), nullable=False),
        sa.Column("given_at", sa.String(), nullable=False),
        sa.Column("stored_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_audit_verdict_annotator_id")),
        sa.ForeignKeyConstraint(["article_id"], ["article.id"], name=op.f("fk_audit_verdict_article_id")),
        sa.ForeignKeyConstraint(["sentence_id"], ["sentence.id"], name=op.f("fk_audit_verdict_sentence_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_verdict")),
        sa.UniqueConstraint("event_id", name=op.f("uq_audit_verdict_event_id")),
    )
    with op.batch_alter_table("audit_verdict", schema=None) as batch_op:
        batch_op.create_index("ix_audit_verdict_article_id_id", ["article_id", "id"], unique=False)


def downgrade() -> None:
    """Takes it back."""
    with op.batch_alter_table("audit_verdict", schema=None) as batch_op:
        batch_op.drop_index("ix_audit_verdict_article_id_id")

    op.drop_table("audit_verdict")
    with op.batch_alter_table("report", schema=None) as batch_op:
        batch_op.drop_index("ix_report_version_id_id")

    op.drop_table("report")
    with op.batch_alter_table("ranker", schema=None) as batch_op:
        batch_op.drop_index("ix_ranker_version_id_id")

    op.drop_table("ranker")
    op.drop_table("experiment_run")
