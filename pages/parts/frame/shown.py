"""What optional parts of Keyline add to the pages. Each says it in the module `shown` of its folder in pages/parts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from typing import Any

from sqlalchemy.orm import Session
from starlette.routing import BaseRoute
from streamlit.delta_generator import DeltaGenerator

from annotate.capabilities.chosen import NAMES
from annotate.project.rights import Right
from annotate.topics.schema import KindEntry
from db.tables import ModelVersion


@dataclass(frozen=True, slots=True)
class Entry:
    """A page: the place of the menu that it is a section of, its title, its icon, and the right to open it.

    `before`: the page that it stands before; without one it is the last of its place.
    """

    place: str
    title: str
    icon: str
    right: Right
    before: str = ""


PANEL = "panel"  # in an address: the name of the panel that is open


@dataclass(frozen=True, slots=True)
class Panel:
    """What opens over Review and All articles: its title, and `draw`, which gets who is working.

    The address says of what it is: `article`, and maybe an `other` one or a `sentence` of it. One with an icon has a
    button on both pages, and an address of its own name.
    """

    title: str
    draw: Callable[[str], None]
    icon: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a part shows. `entries`: its pages by the names of their files. `panels`: what opens over pages, by the name
    that an address has for it. `routes`: its addresses.

    `running` runs as long as the app does. `header` is drawn at the top of each page, `import_tabs` are tabs of Import
    by their titles, and `status` stands on Status. On Retrain, `candidate` is drawn below a version that may be
    promoted, and `retrain` below all versions. `other_names` tells Find the other names of a name.

    In Review, `reading` is what the reader gets of an article, by its name there. `label_tools` gets the header, the
    popover of the labels, the article, and what to do once it has changed the labels.
    """

    entries: Mapping[str, Entry] = field(default_factory=dict)
    panels: Mapping[str, Panel] = field(default_factory=dict)
    routes: Sequence[BaseRoute] = ()
    api: str = ""
    running: Sequence[Callable[[], AbstractContextManager[None]]] = ()
    header: Sequence[Callable[[DeltaGenerator], None]] = ()
    import_tabs: Mapping[str, Callable[[], None]] = field(default_factory=dict)
    other_names: Sequence[Callable[[KindEntry, str], Iterable[str]]] = ()
    reading: Mapping[str, Callable[[Session, int], Any]] = field(default_factory=dict)
    label_tools: Sequence[Callable[[DeltaGenerator, DeltaGenerator, int, Callable[[], None]], None]] = ()
    status: Sequence[Callable[[], None]] = ()
    candidate: Sequence[Callable[[ModelVersion], None]] = ()
    retrain: Sequence[Callable[[], None]] = ()


@lru_cache(maxsize=1)
def shown_parts() -> tuple[Shown, ...]:
    """What each part that is on shows."""
    return tuple(import_module(f"pages.parts.{name}.shown").SHOWN for name in NAMES)


def panels() -> dict[str, Panel]:
    """The panels of all parts that are on, by name."""
    return {name: panel for part in shown_parts() for name, panel in part.panels.items()}
