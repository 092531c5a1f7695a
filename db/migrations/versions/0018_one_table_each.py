"""Trainings in their versions, triage among fits, own choices among settings, what readers made in two tables"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"

# Entities were scanned by a version to which the number of the sentences was added: "a1b2/120".
COUNTED = "scan.version LIKE '%/' || article.sentence_count"


def upgrade() -> None:
    """Applies the change."""
    _move_trainings()
    _move_triage_fits()
    _move_preferences()
    _join_scans()
    _join_read_texts()


def _move_trainings() -> None:
    """What is known of a training goes to the version that it made."""
    op.execute("ALTER TABLE model_version ADD COLUMN history JSON DEFAULT '[]' NOT NULL")
    made = "FROM training_run WHERE child_id = model_version.id"
    op.execute(
        f"UPDATE model_version SET settings = (SELECT settings {made}), history = (SELECT history {made}), "
        f"job_id = coalesce((SELECT job_id {made}), job_id) WHERE id IN (SELECT child_id FROM training_run)"
    )
    version, run = _tables("model_version", "training_run")
    for row in op.get_bind().execute(sa.select(run.c.child_id, run.c.label_counts, run.c.label_set_sha256)).all():
        trained_on = {"label_counts": row.label_counts, "label_set_sha256": row.label_set_sha256}
        op.execute(version.update().where(version.c.id == row.child_id).values(trained_on=trained_on))
    op.drop_table("training_run")


def _tables(*names: str) -> list[sa.Table]:
    """These tables as they are now."""
    return [sa.Table(name, sa.MetaData(), autoload_with=op.get_bind(), resolve_fks=False) for name in names]


def _move_triage_fits() -> None:
    """They are of no version, and get ids behind the other fits."""
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("fit", "version_id", nullable=True)
    else:
        # A table that others refer to can be made again only without foreign keys: SQLite's own way is to change its
        # text, https://www.sqlite.org/lang_altertable.html#otheralter
        without = "replace(sql, 'version_id INTEGER NOT NULL', 'version_id INTEGER')"
        op.execute("PRAGMA writable_schema = ON")
        op.execute(f"UPDATE sqlite_master SET sql = {without} WHERE type = 'table' AND name = 'fit'")
        op.execute("PRAGMA writable_schema = RESET")
    fit, triage_fit = _tables("fit", "triage_fit")
    last = op.get_bind().scalar(sa.select(sa.func.coalesce(sa.func.max(fit.c.id), 0)))
    for row in op.get_bind().execute(sa.select(triage_fit).order_by(triage_fit.c.id)).mappings().all():
        values = {**row, "id": last + row["id"], "kind": "triage", "weights": {}}
        known = row["counts"] if isinstance(row["counts"], dict) else {}
        values["counts"] = {**known, "until_reading": values.pop("until_reading")}
        op.execute(fit.insert().values(values))
    op.drop_table("triage_fit")
    _number_on("fit")


def _move_preferences() -> None:
    """What people chose for themselves gets ids behind what was chosen for the project."""
    op.execute(
        "ALTER TABLE setting ADD COLUMN owner_id INTEGER CONSTRAINT fk_setting_owner_id REFERENCES annotator (id)"
    )
    last = op.get_bind().scalar(sa.text("SELECT coalesce(max(id), 0) FROM setting"))
    op.execute(
        "INSERT INTO setting (id, name, content, changed_by, created_at, owner_id) "
        f"SELECT chosen.id + {last}, chosen.name, chosen.content, annotator.name, chosen.chosen_at, annotator.id "
        "FROM preference AS chosen JOIN annotator ON annotator.id = chosen.annotator_id"
    )
    op.drop_table("preference")
    _number_on("setting")


def _number_on(table: str) -> None:
    """Sets PostgreSQL's counter of ids behind the moved rows; SQLite does so by itself."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), max(id)) FROM {table} HAVING max(id) IS NOT NULL"
        )


def _join_scans() -> None:
    op.create_table(
        "article_scan",
        sa.Column("kind", sa.String(), primary_key=True),
        sa.Column("article_id", sa.Integer(), sa.ForeignKey("article.id"), primary_key=True, autoincrement=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("sentence_count", sa.Integer(), nullable=False),
        sa.Column("computed_at", sa.String(), nullable=False),
        sa.Column("cue", sa.Double()),
        sa.Column("probability", sa.Double()),
        sa.Column("roles", sa.LargeBinary()),
        sa.Column("vectors", sa.LargeBinary()),
    )
    common = "kind, article_id, version, sentence_count, computed_at"
    # An article that grew since it was scanned counts as one of no sentences: it is scanned again.
    version = "substr(scan.version, 1, length(scan.version) - length('/' || article.sentence_count))"
    op.execute(
        f"INSERT INTO article_scan ({common}) SELECT 'entities', scan.article_id, "
        f"CASE WHEN {COUNTED} THEN {version} ELSE scan.version END, "
        f"CASE WHEN {COUNTED} THEN article.sentence_count ELSE 0 END, scan.scanned_at "
        "FROM entity_scan AS scan JOIN article ON article.id = scan.article_id"
    )
    op.execute(
        f"INSERT INTO article_scan ({common}, cue, probability) "
        "SELECT 'triage', article_id, rules, sentence_count, '', cue, probability FROM triage_score"
    )
    op.execute(
        f"INSERT INTO article_scan ({common}, roles, vectors) "
        "SELECT 'roles', article_id, version, sentence_count, computed_at, roles, vectors FROM article_functions"
    )
    for table in ("entity_scan", "triage_score", "article_functions"):
        op.drop_table(table)
    op.create_index("ix_article_scan_kind_computed_at", "article_scan", ["kind", "computed_at"])


def _join_read_texts() -> None:
    """Words join the vectors: a version makes either. They are JSON in a column of bytes from now on."""
    op.drop_index("ix_article_vector_mark", "article_vector")
    op.drop_index("ix_article_vector_article_id", "article_vector")
    op.rename_table("article_vector", "read_text")
    op.execute("ALTER TABLE read_text RENAME COLUMN vector TO made")
    postgresql = op.get_bind().dialect.name == "postgresql"
    words = "convert_to(CAST(words AS text), 'UTF8')" if postgresql else "CAST(words AS BLOB)"
    op.execute(
        "INSERT INTO read_text (version_id, article_id, sentence_count, text_sha256, made) "
        f"SELECT model_id, article_id, sentence_count, text_sha256, {words} FROM pseudo_query AS own WHERE NOT EXISTS "
        "(SELECT 1 FROM read_text WHERE version_id = own.model_id AND article_id = own.article_id)"
    )
    op.drop_table("pseudo_query")
    op.create_index("ix_read_text_mark", "read_text", ["version_id", "sentence_count"])
    op.create_index("ix_read_text_article_id", "read_text", ["article_id"])
