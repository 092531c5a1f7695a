"""Entities recognised in articles, labels proposed from them, and the identifiers of document labels"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Applies the change."""
    op.create_table(
        "entity_scan",
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), primary_key=True, autoincrement=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("scanned_at", sa.String(), nullable=False),
    )
    op.create_table(
        "entity_candidate",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), nullable=False),
        sa.Column("paragraph_id", sa.Integer(), sa.ForeignKey("paragraph.id"), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("identifiers", sa.JSON(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("probability", sa.Double(), nullable=False),
    )
    op.create_index("ix_entity_candidate_article_id", "entity_candidate", ["article_id"])
    op.create_table(
        "label_proposal",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("identifiers", sa.JSON(), nullable=False),
        sa.Column("synonyms", sa.JSON(), nullable=False),
        sa.Column("probability", sa.Double(), nullable=False),
        sa.Column("sentences", sa.JSON(), nullable=False),
    )
    op.create_index("ix_label_proposal_article_id", "label_proposal", ["article_id"])
    op.add_column("document_label", sa.Column("identifiers", sa.JSON(), nullable=False, server_default="[]"))
