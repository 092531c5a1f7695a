"""The newest revision of the schema, as the migrations have it."""

from alembic.script import ScriptDirectory

from db.migrate import alembic_config

HEAD = str(ScriptDirectory.from_config(alembic_config()).get_current_head())
