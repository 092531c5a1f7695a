"""The core loop: articles, proposals, verdicts, jobs, versions, scores"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Applies the change."""
    op.create_table(
        "annotator",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotator")),
        sa.UniqueConstraint("name", name=op.f("uq_annotator_name")),
    )
    op.create_table(
        "article",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("pmid", sa.String(), nullable=True),
        sa.Column("pmcid", sa.String(), nullable=True),
        sa.Column("doi", sa.String(), nullable=True),
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
        sa.PrimaryKeyConstraint("id", name=op.f("pk_article")),
        sa.UniqueConstraint("doi", name=op.f("uq_article_doi")),
        sa.UniqueConstraint("key", name=op.f("uq_article_key")),
        sa.UniqueConstraint("pmcid", name=op.f("uq_article_pmcid")),
        sa.UniqueConstraint("pmid", name=op.f("uq_article_pmid")),
    )
    with op.batch_alter_table("article", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_article_split"), ["split"], unique=False)

    op.create_table(
        "job",
        sa.Column("id", sa.Integer(), nullable=False),
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
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
    )
    with op.batch_alter_table("job", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_job_state"), ["state"], unique=False)
        batch_op.create_index(
            "uq_job_active",
            ["kind"],
            unique=True,
            sqlite_where=sa.text("state IN ('queued', 'running')"),
            postgresql_where=sa.text("state IN ('queued', 'running')"),
        )

    op.create_table(
        "model_version",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("parent_id", sa.Integer(), nullable=True),
        sa.Column("encoder", sa.String(), nullable=False),
        sa.Column("folder", sa.String(), nullable=False),
        sa.Column("manifest", sa.JSON(), nullable=False),
        sa.Column("query", sa.String(), nullable=True),
        sa.Column("dimension", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["parent_id"], ["model_version.id"], name=op.f("fk_model_version_parent_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model_version")),
        sa.UniqueConstraint("name", name=op.f("uq_model_version_name")),
    )
    op.create_table(
        "document_label",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("article_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("synonyms", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["article_id"], ["article.id"], name=op.f("fk_document_label_article_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document_label")),
        sa.UniqueConstraint("article_id", "kind", "name", name=op.f("uq_document_label_article_id_kind_name")),
    )
    op.create_table(
        "embedding",
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("article_id", sa.Integer(), nullable=False),
        sa.Column("sentence_count", sa.Integer(), nullable=False),
        sa.Column("vectors", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["article_id"], ["article.id"], name=op.f("fk_embedding_article_id")),
        sa.ForeignKeyConstraint(["version_id"], ["model_version.id"], name=op.f("fk_embedding_version_id")),
        sa.PrimaryKeyConstraint("version_id", "article_id", name=op.f("pk_embedding")),
    )
    op.create_table(
        "evaluation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("ranking", sa.String(), nullable=False),
        sa.Column("split", sa.String(), nullable=False),
        sa.Column("label_set_sha256", sa.String(), nullable=False),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.Column("histogram", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["version_id"], ["model_version.id"], name=op.f("fk_evaluation_version_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evaluation")),
    )
    with op.batch_alter_table("evaluation", schema=None) as batch_op:
        batch_op.create_index("ix_evaluation_version_id_id", ["version_id", "id"], unique=False)

    op.create_table(
        "promotion",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("promoted_by", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["version_id"], ["model_version.id"], name=op.f("fk_promotion_version_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_promotion")),
    )
    op.create_table(
        "proposal_set",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("article_id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("ranking", sa.String(), nullable=False),
        sa.Column("query", sa.String(), nullable=False),
        sa.Column("k", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["article_id"], ["article.id"], name=op.f("fk_proposal_set_article_id")),
        sa.ForeignKeyConstraint(["version_id"], ["model_version.id"], name=op.f("fk_proposal_set_version_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_proposal_set")),
    )
    with op.batch_alter_table("proposal_set", schema=None) as batch_op:
        batch_op.create_index("ix_proposal_set_article_id_id", ["article_id", "id"], unique=False)

    op.create_table(
        "query_embedding",
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("query", sa.String(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["version_id"], ["model_version.id"], name=op.f("fk_query_embedding_version_id")),
        sa.PrimaryKeyConstraint("version_id", "query", name=op.f("pk_query_embedding")),
    )
    op.create_table(
        "reading",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("article_id", sa.Integer(), nullable=False),
        sa.Column("in_full", sa.Boolean(), nullable=False),
        sa.Column("sentence_count", sa.Integer(), nullable=False),
        sa.Column("given_at", sa.String(), nullable=False),
        sa.Column("stored_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_reading_annotator_id")),
        sa.ForeignKeyConstraint(["article_id"], ["article.id"], name=op.f("fk_reading_article_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reading")),
        sa.UniqueConstraint("event_id", name=op.f("uq_reading_event_id")),
    )
    with op.batch_alter_table("reading", schema=None) as batch_op:
        batch_op.create_index("ix_reading_article_id_id", ["article_id", "id"], unique=False)

    op.create_table(
        "reference",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("article_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("pmid", sa.String(), nullable=True),
        sa.Column("pmcid", sa.String(), nullable=True),
        sa.Column("doi", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["article_id"], ["article.id"], name=op.f("fk_reference_article_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reference")),
    )
    with op.batch_alter_table("reference", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_reference_article_id"), ["article_id"], unique=False)

    op.create_table(
        "section",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("article_id", sa.Integer(), nullable=False),
        sa.Column("parent_id", sa.Integer(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["article_id"], ["article.id"], name=op.f("fk_section_article_id")),
        sa.ForeignKeyConstraint(["parent_id"], ["section.id"], name=op.f("fk_section_parent_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_section")),
    )
    with op.batch_alter_table("section", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_section_article_id"), ["article_id"], unique=False)

    op.create_table(
        "training_run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=True),
        sa.Column("parent_id", sa.Integer(), nullable=False),
        sa.Column("child_id", sa.Integer(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("label_counts", sa.JSON(), nullable=False),
        sa.Column("label_set_sha256", sa.String(), nullable=False),
        sa.Column("history", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["child_id"], ["model_version.id"], name=op.f("fk_training_run_child_id")),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_training_run_job_id")),
        sa.ForeignKeyConstraint(["parent_id"], ["model_version.id"], name=op.f("fk_training_run_parent_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_training_run")),
        sa.UniqueConstraint("child_id", name=op.f("uq_training_run_child_id")),
    )
    op.create_table(
        "article_score",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("article_id", sa.Integer(), nullable=False),
        sa.Column("r_precision", sa.Double(), nullable=False),
        sa.Column("key_sentences", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["article_id"], ["article.id"], name=op.f("fk_article_score_article_id")),
        sa.ForeignKeyConstraint(["evaluation_id"], ["evaluation.id"], name=op.f("fk_article_score_evaluation_id")),
        sa.PrimaryKeyConstraint("evaluation_id", "article_id", name=op.f("pk_article_score")),
    )
    op.create_table(
        "paragraph",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("article_id", sa.Integer(), nullable=False),
        sa.Column("section_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("marks", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["article_id"], ["article.id"], name=op.f("fk_paragraph_article_id")),
        sa.ForeignKeyConstraint(["section_id"], ["section.id"], name=op.f("fk_paragraph_section_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_paragraph")),
    )
    with op.batch_alter_table("paragraph", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_paragraph_article_id"), ["article_id"], unique=False)

    op.create_table(
        "sentence",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("article_id", sa.Integer(), nullable=False),
        sa.Column("paragraph_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["article_id"], ["article.id"], name=op.f("fk_sentence_article_id")),
        sa.ForeignKeyConstraint(["paragraph_id"], ["paragraph.id"], name=op.f("fk_sentence_paragraph_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sentence")),
        sa.UniqueConstraint("article_id", "position", name=op.f("uq_sentence_article_id_position")),
    )
    op.create_table(
        "comment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("article_id", sa.Integer(), nullable=False),
        sa.Column("sentence_id", sa.Integer(), nullable=True),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("given_at", sa.String(), nullable=False),
        sa.Column("stored_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_comment_annotator_id")),
        sa.ForeignKeyConstraint(["article_id"], ["article.id"], name=op.f("fk_comment_article_id")),
        sa.ForeignKeyConstraint(["sentence_id"], ["sentence.id"], name=op.f("fk_comment_sentence_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comment")),
        sa.UniqueConstraint("event_id", name=op.f("uq_comment_event_id")),
    )
    with op.batch_alter_table("comment", schema=None) as batch_op:
        batch_op.create_index("ix_comment_article_id_id", ["article_id", "id"], unique=False)

    op.create_table(
        "proposal",
        sa.Column("set_id", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("sentence_id", sa.Integer(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("cosine", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["sentence_id"], ["sentence.id"], name=op.f("fk_proposal_sentence_id")),
        sa.ForeignKeyConstraint(["set_id"], ["proposal_set.id"], name=op.f("fk_proposal_set_id")),
        sa.PrimaryKeyConstraint("set_id", "rank", name=op.f("pk_proposal")),
    )
    op.create_table(
        "verdict",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("article_id", sa.Integer(), nullable=False),
        sa.Column("sentence_id", sa.Integer(), nullable=False),
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
        sa.ForeignKeyConstraint(["annotator_id"], ["annotator.id"], name=op.f("fk_verdict_annotator_id")),
        sa.ForeignKeyConstraint(["article_id"], ["article.id"], name=op.f("fk_verdict_article_id")),
        sa.ForeignKeyConstraint(["sentence_id"], ["sentence.id"], name=op.f("fk_verdict_sentence_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_verdict")),
        sa.UniqueConstraint("event_id", name=op.f("uq_verdict_event_id")),
    )
    with op.batch_alter_table("verdict", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_verdict_annotator_id"), ["annotator_id"], unique=False)
        batch_op.create_index("ix_verdict_article_id_id", ["article_id", "id"], unique=False)


def downgrade() -> None:
    """Takes it back."""
    with op.batch_alter_table("verdict", schema=None) as batch_op:
        batch_op.drop_index("ix_verdict_article_id_id")
        batch_op.drop_index(batch_op.f("ix_verdict_annotator_id"))

    op.drop_table("verdict")
    op.drop_table("proposal")
    with op.batch_alter_table("comment", schema=None) as batch_op:
        batch_op.drop_index("ix_comment_article_id_id")

    op.drop_table("comment")
    op.drop_table("sentence")
    with op.batch_alter_table("paragraph", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_paragraph_article_id"))

    op.drop_table("paragraph")
    op.drop_table("article_score")
    op.drop_table("training_run")
    with op.batch_alter_table("section", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_section_article_id"))

    op.drop_table("section")
    with op.batch_alter_table("reference", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_reference_article_id"))

    op.drop_table("reference")
    with op.batch_alter_table("reading", schema=None) as batch_op:
        batch_op.drop_index("ix_reading_article_id_id")

    op.drop_table("reading")
    op.drop_table("query_embedding")
    with op.batch_alter_table("proposal_set", schema=None) as batch_op:
        batch_op.drop_index("ix_proposal_set_article_id_id")

    op.drop_table("proposal_set")
    op.drop_table("promotion")
    with op.batch_alter_table("evaluation", schema=None) as batch_op:
        batch_op.drop_index("ix_evaluation_version_id_id")

    op.drop_table("evaluation")
    op.drop_table("embedding")
    op.drop_table("document_label")
    op.drop_table("model_version")
    with op.batch_alter_table("job", schema=None) as batch_op:
        batch_op.drop_index("uq_job_active", sqlite_where=sa.text("state IN ('queued', 'running')"))
        batch_op.drop_index(batch_op.f("ix_job_state"))

    op.drop_table("job")
    with op.batch_alter_table("article", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_article_split"))

    op.drop_table("article")
    op.drop_table("annotator")
