"""A second factor of accounts with a password, and when a login was last used"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Applies the change."""
    op.add_column("account", sa.Column("totp_secret", sa.String()))
    op.add_column("account", sa.Column("totp_step", sa.Integer()))
    op.add_column("account", sa.Column("recovery_codes", sa.JSON()))
    op.add_column("login_session", sa.Column("last_used_at", sa.String()))
