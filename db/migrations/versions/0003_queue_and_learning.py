"""The queue and learning at once: features, heads, assignments, settings, simulations"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Applies the change."""
    op.create_table(
        "setting",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("changed_by", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
    )
    op.create_index("ix_setting_name_id", "setting", ["name", "id"])
    op.create_table(
        "simulation_run",
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
        "article_features",
        sa.Column("version_id", sa.Integer(), sa.ForeignKey("model_version.id"), primary_key=True),
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), primary_key=True),
        sa.Column("inputs_sha256", sa.String(), nullable=False),
        sa.Column("sentence_count", sa.Integer(), nullable=False),
        sa.Column("top", sa.LargeBinary(), nullable=False),
        sa.Column("top_rows", sa.LargeBinary(), nullable=False),
        sa.Column("rows", sa.LargeBinary(), nullable=False),
    )
    op.create_table(
        "head",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("version_id", sa.Integer(), sa.ForeignKey("model_version.id"), nullable=False),
        sa.Column("until_verdict", sa.Integer(), nullable=False),
        sa.Column("counts", sa.JSON(), nullable=False),
        sa.Column("weights", sa.JSON(), nullable=False),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
    )
    op.create_index("ix_head_version_id_id", "head", ["version_id", "id"])
    op.create_table(
        "assignment",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), nullable=False),
        sa.Column("annotator_id", sa.Integer(), sa.ForeignKey("annotator.id"), nullable=False),
        sa.Column("strategy", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("score", sa.Double(), nullable=True),
        sa.Column("waiting", sa.Integer(), nullable=False),
        sa.Column("at_random", sa.Boolean(), nullable=False),
        sa.Column("with_proposals", sa.Boolean(), nullable=False),
        sa.Column("head_id", sa.Integer(), sa.ForeignKey("head.id"), nullable=True),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.Column("leased_until", sa.String(), nullable=False),
        sa.Column("ended_at", sa.String(), nullable=True),
        sa.Column("ending", sa.String(), nullable=True),
    )
    op.create_index("ix_assignment_annotator_id_id", "assignment", ["annotator_id", "id"])
    op.create_index("ix_assignment_article_id", "assignment", ["article_id"])
    # Not as a batch: that would copy the tables and, while the old ones are dropped, trip over what refers to them.
    _add_reference("proposal_set", "head_id", "head")
    _add_reference("verdict", "proposal_set_id", "proposal_set")


def _add_reference(table: str, column: str, referred: str) -> None:
    name = f"fk_{table}_{column}"
    op.execute(f"ALTER TABLE {table} ADD COLUMN {column} INTEGER CONSTRAINT {name} REFERENCES {referred} (id)")
