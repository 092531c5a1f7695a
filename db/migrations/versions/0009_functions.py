"""Functions: what each sentence does, and the functions that the team named itself"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Applies the change."""
    op.create_table(
        "own_function",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(), unique=True, nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
    )
    op.create_table(
        "article_functions",
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), primary_key=True, autoincrement=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("sentence_count", sa.Integer(), nullable=False),
        sa.Column("roles", sa.LargeBinary(), nullable=False),
        sa.Column("vectors", sa.LargeBinary(), nullable=False),
        sa.Column("computed_at", sa.String(), nullable=False),
    )
    op.create_table(
        "function_example",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("function_id", sa.Integer(), sa.ForeignKey("own_function.id"), nullable=False),
        sa.Column("sentence_id", sa.Integer(), sa.ForeignKey("sentence.id"), nullable=False),
        sa.Column("has_it", sa.Boolean(), nullable=False),
        sa.Column("said_by", sa.String(), nullable=False),
        sa.Column("said_at", sa.String(), nullable=False),
    )
    op.create_index("ix_function_example_function_id_sentence_id", "function_example", ["function_id", "sentence_id"])
