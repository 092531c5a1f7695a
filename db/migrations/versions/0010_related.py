"""Related articles: the sentences that cite, and what was said of suggestions"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Applies the change."""
    op.create_table(
        "related_verdict",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("asked", sa.String(), nullable=False),
        sa.Column("work", sa.String(), nullable=False),
        sa.Column("related", sa.Boolean(), nullable=True),
        sa.Column("stored_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_related_verdict_annotator_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_related_verdict")),
        sa.UniqueConstraint("event_id", name=op.f("uq_related_verdict_event_id")),
    )
    op.create_index("ix_related_verdict_asked_work", "related_verdict", ["asked", "work"], unique=False)
    op.create_table(
        "citation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("article_id", sa.Integer(), nullable=False),
        sa.Column("reference", sa.Integer(), nullable=False),
        sa.Column("sentence_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["article_id"], ["article.id"], name=op.f("fk_citation_article_id")),
        sa.ForeignKeyConstraint(["sentence_id"], ["sentence.id"], name=op.f("fk_citation_sentence_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_citation")),
    )
    op.create_index("ix_citation_article_id_reference", "citation", ["article_id", "reference"], unique=False)
    op.create_index(
        "ix_entity_candidate_name",
        "entity_candidate",
        ["name", "article_id", "type"],
        unique=False,
        sqlite_where=sa.text("length(name) <= 200"),
        postgresql_where=sa.text("length(name) <= 200"),
    )
    op.create_index(op.f("ix_reference_doi"), "reference", ["doi"], unique=False)
    op.create_index(op.f("ix_reference_pmcid"), "reference", ["pmcid"], unique=False)
    op.create_index(op.f("ix_reference_pmid"), "reference", ["pmid"], unique=False)


def downgrade() -> None:
    """Refuses: a release that does not know them would lose what was said of suggestions."""
    raise NotImplementedError("restore the copy that was made before the upgrade")
