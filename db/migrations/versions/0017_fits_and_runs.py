"""One table of fits in place of head and ranker, and one of finished runs in place of two"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"

RUN_COLUMNS = (
    "experiment",
    "key",
    "corpus",
    "encoder",
    "settings",
    "metrics",
    "articles",
    "history",
    "device",
    "seconds",
    "created_at",
)


def upgrade() -> None:
    """Applies the change."""
    _join_fits()
    _join_runs()


def _join_fits() -> None:
    """Heads keep their ids, which proposals and assignments name; rankers get ids behind them."""
    op.drop_index("ix_head_version_id_id", "head")
    op.rename_table("head", "fit")
    op.execute("ALTER TABLE fit ADD COLUMN kind VARCHAR DEFAULT 'head' NOT NULL")
    op.execute("ALTER TABLE fit ADD COLUMN label_set_sha256 VARCHAR DEFAULT '' NOT NULL")
    op.create_index("ix_fit_kind_version_id_id", "fit", ["kind", "version_id", "id"])
    last = op.get_bind().scalar(sa.text("SELECT coalesce(max(id), 0) FROM fit"))
    columns = "version_id, label_set_sha256, weights, metrics, created_at"
    op.execute(
        f"INSERT INTO fit (id, kind, until_verdict, counts, {columns}) "
        f"SELECT id + {last}, 'ranker', 0, '{{}}', {columns} FROM ranker"
    )
    op.drop_table("ranker")
    if op.get_bind().dialect.name == "postgresql":  # SQLite counts on from the last id by itself
        op.execute("SELECT setval(pg_get_serial_sequence('fit', 'id'), max(id)) FROM fit HAVING max(id) IS NOT NULL")


def _join_runs() -> None:
    op.create_table(
        "finished_run",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("kind", sa.String(), nullable=False),
        *(sa.Column(name, sa.String(), nullable=False) for name in ("experiment", "key", "encoder", "device")),
        *(
            sa.Column(name, sa.JSON(), nullable=False)
            for name in ("corpus", "settings", "metrics", "articles", "history")
        ),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.UniqueConstraint("kind", "experiment", "key"),
    )
    columns = ", ".join(RUN_COLUMNS)
    for kind in ("experiment", "simulation"):
        op.execute(f"INSERT INTO finished_run (kind, {columns}) SELECT '{kind}', {columns} FROM {kind}_run ORDER BY id")
        op.drop_table(f"{kind}_run")
