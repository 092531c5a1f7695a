"""Revisions of the schema, run by Alembic: one file each in versions/, in order; what one does never changes later.

Constraints get their names by `db.base.NAMING`. None leads back: the copy made before the upgrade holds what was.
"""
