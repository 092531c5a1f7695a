"""Which of several projects this process serves, where one server runs more than one: told by its environment."""

import os

KEY, NAME = "KEYLINE_PROJECT", "KEYLINE_PROJECT_NAME"


def project_key() -> str:
    """The short name that tells this project from the others of its server; empty where it is the only one."""
    return os.environ.get(KEY, "")


def project_name() -> str:
    """What people call this project; empty where it has no name."""
    return os.environ.get(NAME, "").strip()
