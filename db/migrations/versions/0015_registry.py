"""One registry of trained things: stages of Find and maps of Related are versions, promoted as encoders are"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"

VERSION = sa.table(
    "model_version",
    *(sa.column(name, sa.String()) for name in ("kind", "name", "encoder", "folder", "created_by", "created_at")),
    *(sa.column(name, sa.JSON()) for name in ("manifest", "settings", "trained_on", "metrics")),
    *(sa.column(name, sa.Integer()) for name in ("id", "parent_id", "dimension", "job_id")),
)
PROMOTION = sa.table(
    "promotion",
    *(sa.column(name, sa.String()) for name in ("kind", "promoted_by", "reason", "created_at")),
    *(sa.column(name, sa.Integer()) for name in ("id", "version_id")),
)
MODEL = sa.table(
    "retrieval_model",
    *(sa.column(name, sa.String()) for name in ("name", "stage", "folder", "created_by", "created_at")),
    *(sa.column(name, sa.JSON()) for name in ("manifest", "settings", "trained_on", "metrics")),
    *(sa.column(name, sa.Integer()) for name in ("id", "parent_id", "job_id")),
)
CHOICE = sa.table(
    "retrieval_choice",
    *(sa.column(name, sa.String()) for name in ("stage", "chosen_by", "created_at")),
    *(sa.column(name, sa.Integer()) for name in ("id", "model_id")),
)
WORDS = sa.table("pseudo_query", sa.column("model_id", sa.Integer()))
REL = "rel"  # in the settings of a fusion: the name of the version that it weighs


def upgrade() -> None:
    """Applies the change."""
    op.execute("ALTER TABLE model_version ADD COLUMN kind VARCHAR DEFAULT 'encoder' NOT NULL")
    for name in ("settings", "trained_on", "metrics"):
        op.execute(f"ALTER TABLE model_version ADD COLUMN {name} JSON DEFAULT '{{}}' NOT NULL")
    job = "INTEGER CONSTRAINT fk_model_version_job_id REFERENCES job (id)"
    op.execute(f"ALTER TABLE model_version ADD COLUMN job_id {job}")
    op.execute("ALTER TABLE model_version ADD COLUMN created_by VARCHAR DEFAULT '' NOT NULL")
    op.execute("ALTER TABLE promotion ADD COLUMN kind VARCHAR DEFAULT 'encoder' NOT NULL")
    with op.batch_alter_table("promotion") as batch:
        batch.alter_column("version_id", existing_type=sa.Integer(), nullable=True)
    ids = _move_models()
    _move_choices(ids)
    _move_words(ids)
    op.drop_table("retrieval_choice")
    op.drop_table("retrieval_model")


def _move_models() -> dict[int, int]:
    """Makes versions of the models; their new ids by the old ones. A name that an encoder has gets longer."""
    connection = op.get_bind()
    taken = set(connection.scalars(sa.select(VERSION.c.name)))
    rows = connection.execute(sa.select(MODEL).order_by(MODEL.c.id)).mappings().all()
    first = _next_id(VERSION)
    ids = {row["id"]: first + place for place, row in enumerate(rows)}
    renamed: dict[str, str] = {}
    for row in rows:
        name = str(row["name"])
        while name in taken:
            name = f"{name} ({row['stage']})"
        taken.add(name)
        renamed[row["name"]] = name
        values: dict[str, Any] = {key: row[key] for key in row if key not in ("id", "parent_id", "stage", "name")}
        values |= {"id": ids[row["id"]], "kind": row["stage"], "name": name, "encoder": "", "dimension": 0}
        connection.execute(VERSION.insert().values(values))
    for row in rows:
        own = VERSION.c.id == ids[row["id"]]
        if row["parent_id"] is not None:
            connection.execute(VERSION.update().where(own).values(parent_id=ids[row["parent_id"]]))
        settings = row["settings"]
        if isinstance(settings, dict) and isinstance(settings.get(REL), str):
            made_of = settings | {REL: renamed.get(settings[REL], settings[REL])}
            connection.execute(VERSION.update().where(own).values(settings=made_of))
    _number_on(VERSION)
    return ids


def _move_choices(ids: dict[int, int]) -> None:
    """Makes promotions of the choices, in their order. They have no reason: the history tells them by a note."""
    connection = op.get_bind()
    first = _next_id(PROMOTION)
    for place, row in enumerate(connection.execute(sa.select(CHOICE).order_by(CHOICE.c.id)).all()):
        version = None if row.model_id is None else ids[row.model_id]
        made_of = {"id": first + place, "promoted_by": row.chosen_by, "reason": "", "created_at": row.created_at}
        connection.execute(PROMOTION.insert().values(kind=row.stage, version_id=version, **made_of))
    _number_on(PROMOTION)


def _next_id(table: sa.TableClause) -> int:
    """Ids grow with time, so the moved rows come last."""
    return (op.get_bind().scalar(sa.select(sa.func.max(table.c.id))) or 0) + 1


def _number_on(table: sa.TableClause) -> None:
    """Sets PostgreSQL's counter of ids behind the moved rows; SQLite does so by itself."""
    if op.get_bind().dialect.name == "postgresql":
        sequence = sa.func.pg_get_serial_sequence(table.name, "id")
        last = sa.func.max(table.c.id)
        op.get_bind().execute(sa.select(sa.func.setval(sequence, last)).having(last.is_not(None)))


def _move_words(ids: dict[int, int]) -> None:
    """Gives the words of articles the new ids of the models that found them; by way of numbers that none has."""
    with op.batch_alter_table("pseudo_query") as batch:
        batch.drop_constraint("fk_pseudo_query_model_id", type_="foreignkey")
    op.execute(WORDS.update().values(model_id=-WORDS.c.model_id))
    for old, new in ids.items():
        op.execute(WORDS.update().where(WORDS.c.model_id == -old).values(model_id=new))
    with op.batch_alter_table("pseudo_query") as batch:
        batch.create_foreign_key("fk_pseudo_query_model_id", "model_version", ["model_id"], ["id"])
