"""Tags and removals of articles, what people choose for themselves, and who assigned an article to whom"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Applies the change."""
    op.create_table(
        "article_removal",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), nullable=False),
        sa.Column("removed", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("done_by", sa.String(), nullable=False),
        sa.Column("done_at", sa.String(), nullable=False),
    )
    op.create_index("ix_article_removal_article_id", "article_removal", ["article_id"])
    op.create_table(
        "article_tag",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), nullable=False),
        sa.Column("tag", sa.String(), nullable=False),
        sa.Column("is_set", sa.Boolean(), nullable=False),
        sa.Column("done_by", sa.String(), nullable=False),
        sa.Column("done_at", sa.String(), nullable=False),
    )
    op.create_index("ix_article_tag_article_id_tag", "article_tag", ["article_id", "tag"])
    op.create_index("ix_article_tag_tag_article_id", "article_tag", ["tag", "article_id"])
    op.create_table(
        "preference",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("annotator_id", sa.Integer(), sa.ForeignKey("annotator.id"), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("chosen_at", sa.String(), nullable=False),
    )
    op.create_index("ix_preference_annotator_id_name", "preference", ["annotator_id", "name"])
    op.add_column("queue_request", sa.Column("assigned_by", sa.String(), nullable=True))
