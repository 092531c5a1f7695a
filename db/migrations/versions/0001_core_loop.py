"""The core loop: articles, proposals, verdicts, jobs, versions, scores"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Applies the change."""
    op.create_table(
        "annotator",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(), unique=True, nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
    )
    op.create_table(
        "article",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("key", sa.String(), unique=True, nullable=False),
        sa.Column("pmid", sa.String(), unique=True, nullable=True),
        sa.Column("pmcid", sa.String(), unique=True, nullable=True),
        sa.Column("doi", sa.String(), unique=True, nullable=True),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("journal", sa.String(), nullable=True),
        sa.Column("year", sa.Integer(), nullable=True),
        sa.Column("licence", sa.String(), nullable=True),
        sa.Column("split", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("full_text", sa.Boolean(), nullable=False),
        sa.Column("sentence_count", sa.Integer(), nullable=False),
        sa.Column("warnings", sa.JSON(), nullable=False),
        sa.Column("imported_at", sa.String(), nullable=False),
    )
    op.create_index("ix_article_split", "article", ["split"])
    op.create_table(
        "job",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("progress", sa.JSON(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=False),
        sa.Column("error", sa.String(), nullable=True),
        sa.Column("pid", sa.Integer(), nullable=True),
        sa.Column("process_started", sa.Double(), nullable=True),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.Column("started_at", sa.String(), nullable=True),
        sa.Column("reported_at", sa.String(), nullable=True),
        sa.Column("finished_at", sa.String(), nullable=True),
    )
    op.create_index("ix_job_state", "job", ["state"])
    op.create_index(
        "uq_job_active",
        "job",
        ["kind"],
        unique=True,
        sqlite_where=sa.text("state IN ('queued', 'running')"),
        postgresql_where=sa.text("state IN ('queued', 'running')"),
    )
    op.create_table(
        "model_version",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(), unique=True, nullable=False),
        sa.Column("parent_id", sa.Integer(), sa.ForeignKey("model_version.id"), nullable=True),
        sa.Column("encoder", sa.String(), nullable=False),
        sa.Column("folder", sa.String(), nullable=False),
        sa.Column("manifest", sa.JSON(), nullable=False),
        sa.Column("query", sa.String(), nullable=True),
        sa.Column("dimension", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
    )
    op.create_table(
        "document_label",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("synonyms", sa.JSON(), nullable=False),
        sa.UniqueConstraint("article_id", "kind", "name"),
    )
    op.create_table(
        "embedding",
        sa.Column("version_id", sa.Integer(), sa.ForeignKey("model_version.id"), primary_key=True),
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), primary_key=True),
        sa.Column("sentence_count", sa.Integer(), nullable=False),
        sa.Column("vectors", sa.LargeBinary(), nullable=False),
    )
    op.create_table(
        "evaluation",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("version_id", sa.Integer(), sa.ForeignKey("model_version.id"), nullable=False),
        sa.Column("ranking", sa.String(), nullable=False),
        sa.Column("split", sa.String(), nullable=False),
        sa.Column("label_set_sha256", sa.String(), nullable=False),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.Column("histogram", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
    )
    op.create_index("ix_evaluation_version_id_id", "evaluation", ["version_id", "id"])
    op.create_table(
        "promotion",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("version_id", sa.Integer(), sa.ForeignKey("model_version.id"), nullable=False),
        sa.Column("promoted_by", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
    )
    op.create_table(
        "proposal_set",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), nullable=False),
        sa.Column("version_id", sa.Integer(), sa.ForeignKey("model_version.id"), nullable=False),
        sa.Column("ranking", sa.String(), nullable=False),
        sa.Column("query", sa.String(), nullable=False),
        sa.Column("k", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
    )
    op.create_index("ix_proposal_set_article_id_id", "proposal_set", ["article_id", "id"])
    op.create_table(
        "query_embedding",
        sa.Column("version_id", sa.Integer(), sa.ForeignKey("model_version.id"), primary_key=True),
        sa.Column("query", sa.String(), primary_key=True),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
    )
    op.create_table(
        "reading",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("event_id", sa.String(), unique=True, nullable=False),
        sa.Column("annotator_id", sa.Integer(), sa.ForeignKey("annotator.id"), nullable=False),
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), nullable=False),
        sa.Column("in_full", sa.Boolean(), nullable=False),
        sa.Column("sentence_count", sa.Integer(), nullable=False),
        sa.Column("given_at", sa.String(), nullable=False),
        sa.Column("stored_at", sa.String(), nullable=False),
    )
    op.create_index("ix_reading_article_id_id", "reading", ["article_id", "id"])
    op.create_table(
        "reference",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("pmid", sa.String(), nullable=True),
        sa.Column("pmcid", sa.String(), nullable=True),
        sa.Column("doi", sa.String(), nullable=True),
    )
    op.create_index("ix_reference_article_id", "reference", ["article_id"])
    op.create_table(
        "section",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), nullable=False),
        sa.Column("parent_id", sa.Integer(), sa.ForeignKey("section.id"), nullable=True),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
    )
    op.create_index("ix_section_article_id", "section", ["article_id"])
    op.create_table(
        "training_run",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("job_id", sa.Integer(), sa.ForeignKey("job.id"), nullable=True),
        sa.Column("parent_id", sa.Integer(), sa.ForeignKey("model_version.id"), nullable=False),
        sa.Column("child_id", sa.Integer(), sa.ForeignKey("model_version.id"), unique=True, nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("label_counts", sa.JSON(), nullable=False),
        sa.Column("label_set_sha256", sa.String(), nullable=False),
        sa.Column("history", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
    )
    op.create_table(
        "article_score",
        sa.Column("evaluation_id", sa.Integer(), sa.ForeignKey("evaluation.id"), primary_key=True),
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), primary_key=True),
        sa.Column("r_precision", sa.Double(), nullable=False),
        sa.Column("key_sentences", sa.Integer(), nullable=False),
    )
    op.create_table(
        "paragraph",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), nullable=False),
        sa.Column("section_id", sa.Integer(), sa.ForeignKey("section.id"), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("marks", sa.JSON(), nullable=False),
    )
    op.create_index("ix_paragraph_article_id", "paragraph", ["article_id"])
    op.create_table(
        "sentence",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), nullable=False),
        sa.Column("paragraph_id", sa.Integer(), sa.ForeignKey("paragraph.id"), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.UniqueConstraint("article_id", "position"),
    )
    op.create_table(
        "comment",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("event_id", sa.String(), unique=True, nullable=False),
        sa.Column("annotator_id", sa.Integer(), sa.ForeignKey("annotator.id"), nullable=False),
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), nullable=False),
        sa.Column("sentence_id", sa.Integer(), sa.ForeignKey("sentence.id"), nullable=True),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("given_at", sa.String(), nullable=False),
        sa.Column("stored_at", sa.String(), nullable=False),
    )
    op.create_index("ix_comment_article_id_id", "comment", ["article_id", "id"])
    op.create_table(
        "proposal",
        sa.Column("set_id", sa.Integer(), sa.ForeignKey("proposal_set.id"), primary_key=True),
        sa.Column("rank", sa.Integer(), primary_key=True),
        sa.Column("sentence_id", sa.Integer(), sa.ForeignKey("sentence.id"), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("cosine", sa.Double(), nullable=False),
    )
    op.create_table(
        "verdict",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("event_id", sa.String(), unique=True, nullable=False),
        sa.Column("annotator_id", sa.Integer(), sa.ForeignKey("annotator.id"), nullable=False),
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), nullable=False),
        sa.Column("sentence_id", sa.Integer(), sa.ForeignKey("sentence.id"), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.Column("cosine", sa.Double(), nullable=True),
        sa.Column("ranking", sa.String(), nullable=True),
        sa.Column("version", sa.String(), nullable=True),
        sa.Column("genes", sa.String(), nullable=True),
        sa.Column("cells", sa.String(), nullable=True),
        sa.Column("edit", sa.String(), nullable=True),
        sa.Column("given_at", sa.String(), nullable=False),
        sa.Column("stored_at", sa.String(), nullable=False),
    )
    op.create_index("ix_verdict_annotator_id", "verdict", ["annotator_id"])
    op.create_index("ix_verdict_article_id_id", "verdict", ["article_id", "id"])
