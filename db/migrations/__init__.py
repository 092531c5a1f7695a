"""Revisions of the schema, run by Alembic: one file each in versions/, in order, never changed once released."""
