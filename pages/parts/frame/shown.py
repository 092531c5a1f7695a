"""What optional parts of Keyline add to the pages. Each says it in the module `shown` of its folder in pages/parts."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module

from starlette.routing import BaseRoute
from streamlit.delta_generator import DeltaGenerator

from annotate.capabilities.chosen import NAMES
from annotate.project.rights import Right
from db.tables import ModelVersion


@dataclass(frozen=True, slots=True)
class Entry:
    """A page: the heading of the menu below which it stands, its title, its icon, and the right to open it.

    `before`: the page that it stands before; without one it is the last below its heading.
    """

    heading: str
    title: str
    icon: str
    right: Right
    before: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a part shows. `entries`: its pages by the names of their files. `routes`: its addresses.

    `running` runs as long as the app does. `header` is drawn at the top of each page, `import_tabs` are tabs of Import
    by their titles, `status` stands on Status, `candidate` beside the button that promotes a version, and `retrain`
    below all versions.
    """

    entries: Mapping[str, Entry] = field(default_factory=dict)
    routes: Sequence[BaseRoute] = ()
    running: Sequence[Callable[[], AbstractContextManager[None]]] = ()
    header: Sequence[Callable[[DeltaGenerator], None]] = ()
    import_tabs: Mapping[str, Callable[[], None]] = field(default_factory=dict)
    status: Sequence[Callable[[], None]] = ()
    candidate: Sequence[Callable[[ModelVersion], None]] = ()
    retrain: Sequence[Callable[[], None]] = ()


@lru_cache(maxsize=1)
def shown_parts() -> tuple[Shown, ...]:
    """What each part that is on shows."""
    return tuple(import_module(f"pages.parts.{name}.shown").SHOWN for name in NAMES)
