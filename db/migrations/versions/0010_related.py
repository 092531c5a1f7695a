"""Related articles: the sentences that cite, and what was said of suggestions"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Applies the change."""
    op.create_table(
        "related_verdict",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("event_id", sa.String(), unique=True, nullable=False),
        sa.Column("annotator_id", sa.Integer(), sa.ForeignKey("annotator.id"), nullable=False),
        sa.Column("asked", sa.String(), nullable=False),
        sa.Column("work", sa.String(), nullable=False),
        sa.Column("related", sa.Boolean(), nullable=True),
        sa.Column("stored_at", sa.String(), nullable=False),
    )
    op.create_index("ix_related_verdict_asked_work", "related_verdict", ["asked", "work"])
    op.create_table(
        "citation",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), nullable=False),
        sa.Column("reference", sa.Integer(), nullable=False),
        sa.Column("sentence_id", sa.Integer(), sa.ForeignKey("sentence.id"), nullable=False),
    )
    op.create_index("ix_citation_article_id_reference", "citation", ["article_id", "reference"])
    op.create_index(
        "ix_entity_candidate_name",
        "entity_candidate",
        ["name", "article_id", "type"],
        unique=False,
        sqlite_where=sa.text("length(name) <= 200"),
        postgresql_where=sa.text("length(name) <= 200"),
    )
    op.create_index("ix_reference_doi", "reference", ["doi"])
    op.create_index("ix_reference_pmcid", "reference", ["pmcid"])
    op.create_index("ix_reference_pmid", "reference", ["pmid"])
