"""Entities recognised in articles, labels proposed from them, and the identifiers of document labels"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Applies the change."""
    op.create_table(
        "entity_scan",
        sa.Column("article_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("scanned_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["article_id"], ["article.id"], name=op.f("fk_entity_scan_article_id")),
        sa.PrimaryKeyConstraint("article_id", name=op.f("pk_entity_scan")),
    )
    op.create_table(
        "entity_candidate",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("article_id", sa.Integer(), nullable=False),
        sa.Column("paragraph_id", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("identifiers", sa.JSON(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("probability", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["article_id"], ["article.id"], name=op.f("fk_entity_candidate_article_id")),
        sa.ForeignKeyConstraint(["paragraph_id"], ["paragraph.id"], name=op.f("fk_entity_candidate_paragraph_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entity_candidate")),
    )
    op.create_index(op.f("ix_entity_candidate_article_id"), "entity_candidate", ["article_id"])
    op.create_table(
        "label_proposal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("article_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("identifiers", sa.JSON(), nullable=False),
        sa.Column("synonyms", sa.JSON(), nullable=False),
        sa.Column("probability", sa.Double(), nullable=False),
        sa.Column("sentences", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["article_id"], ["article.id"], name=op.f("fk_label_proposal_article_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_label_proposal")),
    )
    op.create_index(op.f("ix_label_proposal_article_id"), "label_proposal", ["article_id"])
    op.add_column("document_label", sa.Column("identifiers", sa.JSON(), nullable=False, server_default="[]"))
