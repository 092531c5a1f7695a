"""Triggers note each change of an article, so that the search index finds what changed without reading all articles"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"

# The last 20 bits are by lot: two histories of one database, as after a restore, give no mark twice.
LOT = {"sqlite": "(random() & 1048575)", "postgresql": "floor(random() * 1048576)::bigint"}
NEXT = "(((SELECT coalesce(max(mark), 0) FROM article_change) >> 20) + 1 << 20)"
# What a change is, by table: the column that holds the article's id, the events, and a condition on the row.
WATCHED = (
    ("article", "id", ("INSERT", "UPDATE"), ""),
    ("article_removal", "article_id", ("INSERT",), ""),
    ("article_scan", "article_id", ("INSERT", "UPDATE"), "NEW.kind = 'entities'"),
    ("document_label", "article_id", ("INSERT", "UPDATE", "DELETE"), ""),
    ("section", "article_id", ("INSERT",), "NEW.kind = 'mesh'"),
)


def upgrade() -> None:
    """Applies the change."""
    op.create_table(
        "article_change",
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), primary_key=True, autoincrement=False),
        sa.Column("mark", sa.BigInteger(), nullable=False, unique=True),
    )
    dialect = op.get_bind().dialect.name
    lot = LOT[dialect]
    op.execute(f"INSERT INTO article_change SELECT id, (CAST(id AS BIGINT) << 20) + {lot} FROM article")
    for table, column, events, condition in WATCHED:
        for event in events:
            row = "OLD" if event == "DELETE" else "NEW"
            when = f"WHEN ({condition})" if condition else ""
            noted = (
                f"INSERT INTO article_change (article_id, mark) VALUES ({row}.{column}, {NEXT} + {lot}) "
                "ON CONFLICT (article_id) DO UPDATE SET mark = excluded.mark;"
            )
            name = f"{table}_{event.lower()}_is_a_change"
            if dialect == "sqlite":
                op.execute(f"CREATE TRIGGER {name} AFTER {event} ON {table} {when} BEGIN {noted} END")
            else:
                op.execute(
                    f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {noted} RETURN NULL; END $$"
                )
                op.execute(
                    f"CREATE TRIGGER {name} AFTER {event} ON {table} FOR EACH ROW {when} EXECUTE FUNCTION {name}()"
                )
