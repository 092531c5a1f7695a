"""Functions: what each sentence does, and the functions that the team named itself"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Applies the change."""
    op.create_table(
        "own_function",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_own_function")),
        sa.UniqueConstraint("name", name=op.f("uq_own_function_name")),
    )
    op.create_table(
        "article_functions",
        sa.Column("article_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("sentence_count", sa.Integer(), nullable=False),
        sa.Column("roles", sa.LargeBinary(), nullable=False),
        sa.Column("vectors", sa.LargeBinary(), nullable=False),
        sa.Column("computed_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["article_id"], ["article.id"], name=op.f("fk_article_functions_article_id")),
        sa.PrimaryKeyConstraint("article_id", name=op.f("pk_article_functions")),
    )
    op.create_table(
        "function_example",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("function_id", sa.Integer(), nullable=False),
        sa.Column("sentence_id", sa.Integer(), nullable=False),
        sa.Column("has_it", sa.Boolean(), nullable=False),
        sa.Column("said_by", sa.String(), nullable=False),
        sa.Column("said_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["function_id"], ["own_function.id"], name=op.f("fk_function_example_function_id")),
        sa.ForeignKeyConstraint(["sentence_id"], ["sentence.id"], name=op.f("fk_function_example_sentence_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_function_example")),
    )
    op.create_index(
        "ix_function_example_function_id_sentence_id", "function_example", ["function_id", "sentence_id"], unique=False
    )


def downgrade() -> None:
    """Refuses: a release that does not know them would lose what was said of the team's own functions."""
    raise NotImplementedError("restore the copy that was made before the upgrade")
