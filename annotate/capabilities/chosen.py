"""The optional parts that are on, a line for each.

Without its line a part is gone: its pages, its commands, its jobs and its steps. Its folders may be deleted then.

A part has a module of its name here, which says what it adds to the core. The module `shown` of its folder in
pages/parts says what it adds to the pages. Both are imported by name, so that nothing else names a part, but the list
of commands in annotate/cli/frame/words.py.
"""

from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the command line asks for NAMES, and starts before all that the parts import
    from annotate.capabilities.capability import Capability

# Steps are taken, and pages listed, in this order.
NAMES = (
    "finding",
    "entities",
    "roles",
    "related",
    "encoders",
    "experiments",
    "llm",
    "webhook",
    "projects",
    "api",
)


@lru_cache(maxsize=1)
def capabilities() -> "tuple[Capability, ...]":
    """What each part adds. Raises RuntimeError if a part needs one that is off."""
    found = {name: import_module(f"annotate.capabilities.{name}").CAPABILITY for name in NAMES}
    for name, capability in found.items():
        if missing := [other for other in capability.needs if other not in found]:
            raise RuntimeError(f"{name} needs {', '.join(missing)}, which annotate/capabilities/chosen.py leaves out")
    return tuple(found.values())
