"""Find: vectors of articles, models that rank them, questions, and what people said of what was found"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Applies the change."""
    op.create_table(
        "retrieval_model",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("parent_id", sa.Integer(), nullable=True),
        sa.Column("folder", sa.String(), nullable=False),
        sa.Column("manifest", sa.JSON(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("trained_on", sa.JSON(), nullable=False),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=True),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_retrieval_model_job_id")),
        sa.ForeignKeyConstraint(["parent_id"], ["retrieval_model.id"], name=op.f("fk_retrieval_model_parent_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_retrieval_model")),
        sa.UniqueConstraint("name", name=op.f("uq_retrieval_model_name")),
    )
    op.create_table(
        "article_vector",
        sa.Column("version_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("article_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("sentence_count", sa.Integer(), nullable=False),
        sa.Column("text_sha256", sa.String(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["article_id"], ["article.id"], name=op.f("fk_article_vector_article_id")),
        sa.ForeignKeyConstraint(["version_id"], ["model_version.id"], name=op.f("fk_article_vector_version_id")),
        sa.PrimaryKeyConstraint("version_id", "article_id", name=op.f("pk_article_vector")),
    )
    op.create_index(op.f("ix_article_vector_article_id"), "article_vector", ["article_id"], unique=False)
    op.create_index("ix_article_vector_mark", "article_vector", ["version_id", "sentence_count"], unique=False)
    op.create_table(
        "pseudo_query",
        sa.Column("model_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("article_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("sentence_count", sa.Integer(), nullable=False),
        sa.Column("text_sha256", sa.String(), nullable=False),
        sa.Column("words", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["article_id"], ["article.id"], name=op.f("fk_pseudo_query_article_id")),
        sa.ForeignKeyConstraint(["model_id"], ["retrieval_model.id"], name=op.f("fk_pseudo_query_model_id")),
        sa.PrimaryKeyConstraint("model_id", "article_id", name=op.f("pk_pseudo_query")),
    )
    op.create_index(op.f("ix_pseudo_query_article_id"), "pseudo_query", ["article_id"], unique=False)
    op.create_table(
        "question",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("question", sa.JSON(), nullable=False),
        sa.Column("saved", sa.Boolean(), nullable=False),
        sa.Column("shared", sa.Boolean(), nullable=False),
        sa.Column("seen_until", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.Column("seen_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_question_annotator_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_question")),
        sa.UniqueConstraint("annotator_id", "sha256", name=op.f("uq_question_annotator_id_sha256")),
    )
    op.create_table(
        "retrieval_choice",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("model_id", sa.Integer(), nullable=True),
        sa.Column("chosen_by", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["model_id"], ["retrieval_model.id"], name=op.f("fk_retrieval_choice_model_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_retrieval_choice")),
    )
    op.create_index(op.f("ix_retrieval_choice_stage"), "retrieval_choice", ["stage"], unique=False)
    op.create_table(
        "relevance",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("question_id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("article_key", sa.String(), nullable=False),
        sa.Column("grade", sa.Integer(), nullable=True),
        sa.Column("waiting", sa.Integer(), nullable=True),
        sa.Column("given_at", sa.String(), nullable=False),
        sa.Column("stored_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_relevance_annotator_id")),
        sa.ForeignKeyConstraint(["question_id"], ["question.id"], name=op.f("fk_relevance_question_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_relevance")),
        sa.UniqueConstraint("event_id", name=op.f("uq_relevance_event_id")),
    )
    op.create_index(op.f("ix_relevance_question_id"), "relevance", ["question_id"], unique=False)
    op.create_table(
        "queue_request",
        sa.Column("for_all", sa.Boolean(), nullable=False),
        sa.Column("wanted", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("assignments_before", sa.Integer(), nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("article_id", sa.Integer(), nullable=False),
        sa.Column("given_at", sa.String(), nullable=False),
        sa.Column("stored_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_queue_request_annotator_id")),
        sa.ForeignKeyConstraint(["article_id"], ["article.id"], name=op.f("fk_queue_request_article_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_queue_request")),
        sa.UniqueConstraint("event_id", name=op.f("uq_queue_request_event_id")),
    )
    op.create_index(op.f("ix_queue_request_article_id"), "queue_request", ["article_id"], unique=False)


def downgrade() -> None:
    """Refuses: a release that does not know Find would leave what people said of articles behind."""
    raise NotImplementedError("restore the copy that was made before the upgrade")
