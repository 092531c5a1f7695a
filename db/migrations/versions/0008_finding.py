"""Find: vectors of articles, models that rank them, questions, and what people said of what was found"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Applies the change."""
    op.create_table(
        "retrieval_model",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(), unique=True, nullable=False),
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("parent_id", sa.Integer(), sa.ForeignKey("retrieval_model.id"), nullable=True),
        sa.Column("folder", sa.String(), nullable=False),
        sa.Column("manifest", sa.JSON(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("trained_on", sa.JSON(), nullable=False),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.Column("job_id", sa.Integer(), sa.ForeignKey("job.id"), nullable=True),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
    )
    op.create_table(
        "article_vector",
        sa.Column("version_id", sa.Integer(), sa.ForeignKey("model_version.id"), primary_key=True, autoincrement=False),
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), primary_key=True, autoincrement=False),
        sa.Column("sentence_count", sa.Integer(), nullable=False),
        sa.Column("text_sha256", sa.String(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
    )
    op.create_index("ix_article_vector_article_id", "article_vector", ["article_id"])
    op.create_index("ix_article_vector_mark", "article_vector", ["version_id", "sentence_count"])
    op.create_table(
        "pseudo_query",
        sa.Column("model_id", sa.Integer(), sa.ForeignKey("retrieval_model.id"), primary_key=True, autoincrement=False),
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), primary_key=True, autoincrement=False),
        sa.Column("sentence_count", sa.Integer(), nullable=False),
        sa.Column("text_sha256", sa.String(), nullable=False),
        sa.Column("words", sa.JSON(), nullable=False),
    )
    op.create_index("ix_pseudo_query_article_id", "pseudo_query", ["article_id"])
    op.create_table(
        "question",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("annotator_id", sa.Integer(), sa.ForeignKey("annotator.id"), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("question", sa.JSON(), nullable=False),
        sa.Column("saved", sa.Boolean(), nullable=False),
        sa.Column("shared", sa.Boolean(), nullable=False),
        sa.Column("seen_until", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.Column("seen_at", sa.String(), nullable=False),
        sa.UniqueConstraint("annotator_id", "sha256"),
    )
    op.create_table(
        "retrieval_choice",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("model_id", sa.Integer(), sa.ForeignKey("retrieval_model.id"), nullable=True),
        sa.Column("chosen_by", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
    )
    op.create_index("ix_retrieval_choice_stage", "retrieval_choice", ["stage"])
    op.create_table(
        "relevance",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("event_id", sa.String(), unique=True, nullable=False),
        sa.Column("question_id", sa.Integer(), sa.ForeignKey("question.id"), nullable=False),
        sa.Column("annotator_id", sa.Integer(), sa.ForeignKey("annotator.id"), nullable=False),
        sa.Column("article_key", sa.String(), nullable=False),
        sa.Column("grade", sa.Integer(), nullable=True),
        sa.Column("waiting", sa.Integer(), nullable=True),
        sa.Column("given_at", sa.String(), nullable=False),
        sa.Column("stored_at", sa.String(), nullable=False),
    )
    op.create_index("ix_relevance_question_id", "relevance", ["question_id"])
    op.create_table(
        "queue_request",
        sa.Column("for_all", sa.Boolean(), nullable=False),
        sa.Column("wanted", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("assignments_before", sa.Integer(), nullable=False),
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("event_id", sa.String(), unique=True, nullable=False),
        sa.Column("annotator_id", sa.Integer(), sa.ForeignKey("annotator.id"), nullable=False),
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), nullable=False),
        sa.Column("given_at", sa.String(), nullable=False),
        sa.Column("stored_at", sa.String(), nullable=False),
    )
    op.create_index("ix_queue_request_article_id", "queue_request", ["article_id"])
