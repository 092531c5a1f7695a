"""A key of each title, by which an import finds the stored articles with the titles of its own"""

import hashlib
import re
import unicodedata

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"

AT_ONCE = 5_000  # of a million articles all titles would take hundreds of megabytes


def upgrade() -> None:
    """Applies the change."""
    op.add_column("article", sa.Column("title_key", sa.String(), server_default="", nullable=False))
    connection = op.get_bind()
    article = sa.table("article", sa.column("id"), sa.column("title"), sa.column("title_key"))
    first = sa.select(article.c.id, article.c.title).order_by(article.c.id).limit(AT_ONCE)
    keyed = article.update().where(article.c.id == sa.bindparam("number")).values(title_key=sa.bindparam("made"))
    last = -1
    while rows := connection.execute(first.where(article.c.id > last)).all():
        connection.execute(keyed, [{"number": number, "made": _key(title)} for number, title in rows])
        last = rows[-1].id
    op.create_index("ix_article_title_key_split", "article", ["title_key", "split"])


def _key(title: str) -> str:
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", title).casefold())
    return hashlib.sha256("".join(words).encode()).hexdigest()[:16]
