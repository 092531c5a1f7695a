"""Related articles no longer look for all articles with a name: its index goes"""

from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    """Applies the change."""
    op.drop_index("ix_entity_candidate_name", "entity_candidate")
