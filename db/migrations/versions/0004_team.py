"""A team: accounts and logins, history, frozen gold, adjudications, jobs that begin again"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

# What is frozen stays: the database itself refuses to change or delete it, whoever asks.
REFUSAL = "a gold snapshot never changes"
FREEZING = {
    "sqlite": [
        f"CREATE TRIGGER gold_snapshot_{event.lower()} BEFORE {event} ON gold_snapshot "
        f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
        for event in ("UPDATE", "DELETE")
    ],
    "postgresql": [
        f"CREATE FUNCTION gold_snapshot_stays() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{REFUSAL}'; END $$",
        "CREATE TRIGGER gold_snapshot_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON gold_snapshot "
        "FOR EACH STATEMENT EXECUTE FUNCTION gold_snapshot_stays()",
    ],
}


def upgrade() -> None:
    """Applies the change."""
    op.create_table(
        "account",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("annotator_id", sa.Integer(), sa.ForeignKey("annotator.id"), unique=True, nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("disabled", sa.Boolean(), nullable=False),
        sa.Column("session_epoch", sa.Integer(), nullable=False),
        sa.Column("password_hash", sa.String(), nullable=True),
        sa.Column("issuer", sa.String(), nullable=True),
        sa.Column("subject", sa.String(), nullable=True),
        sa.Column("email", sa.String(), nullable=True),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.UniqueConstraint("issuer", "subject"),
    )
    op.create_table(
        "login_session",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("token_sha256", sa.String(), unique=True, nullable=False),
        sa.Column("account_id", sa.Integer(), sa.ForeignKey("account.id"), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("browser", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.Column("expires_at", sa.String(), nullable=False),
        sa.Column("ended_at", sa.String(), nullable=True),
    )
    op.create_index("ix_login_session_account_id", "login_session", ["account_id"])
    op.create_table(
        "login_attempt",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("tried_at", sa.Double(), nullable=False),
        sa.Column("succeeded", sa.Boolean(), nullable=False),
    )
    op.create_index("ix_login_attempt_name_id", "login_attempt", ["name", "id"])
    op.create_index("ix_login_attempt_address_id", "login_attempt", ["address", "id"])
    op.create_table(
        "history",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("done_at", sa.String(), nullable=False),
        sa.Column("done_by", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), nullable=True),
        sa.Column("summary", sa.String(), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
    )
    op.create_index("ix_history_article_id_id", "history", ["article_id", "id"])
    op.create_table(
        "gold_snapshot",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(), unique=True, nullable=False),
        sa.Column("rule", sa.String(), nullable=False),
        sa.Column("annotator", sa.String(), nullable=True),
        sa.Column("until_verdict", sa.Integer(), nullable=False),
        sa.Column("until_reading", sa.Integer(), nullable=False),
        sa.Column("label_set_sha256", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("manifest", sa.JSON(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
    )
    for statement in FREEZING[op.get_bind().dialect.name]:
        op.execute(statement)
    # Plain SQL: SQLite adds a column in place, while Alembic's batch mode would copy a table of 100,000 rows.
    op.execute("ALTER TABLE verdict ADD COLUMN role VARCHAR DEFAULT 'annotator' NOT NULL")
    op.execute("ALTER TABLE job ADD COLUMN attempts INTEGER DEFAULT '0' NOT NULL")
    for name in ("asked_by", "host", "heartbeat_at"):
        op.execute(f"ALTER TABLE job ADD COLUMN {name} VARCHAR")
