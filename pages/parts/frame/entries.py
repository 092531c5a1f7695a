"""The places of the menu, the pages that are their sections, and the right that opening a page needs.

A new page is a file in pages/ that begins with `open_page()`, and its line here by the name of that file. A page of an
optional part has its line in that part's `shown`. It keeps the address of that name in any place.
"""

from collections.abc import Container
from dataclasses import dataclass
from functools import lru_cache

from annotate.project.rights import Right
from pages.parts.frame.shown import PANEL, Entry, panels, shown_parts


@dataclass(frozen=True, slots=True)
class Place:
    """An entry of the menu, with its icon.

    `needs`: a section of it. People who may not open that one find the others behind their own name, not in the menu.
    `is_extra`: it stands in the menu once the project has asked for it (MenuSettings).
    """

    icon: str
    needs: str = ""
    is_extra: bool = False


# In the order of the menu: what experts do all day, what curators and maintainers do now and then, what admins set.
PLACES = {
    "Start": Place(":material/home:"),
    "Review": Place(":material/rate_review:"),
    "Find": Place(":material/travel_explore:"),
    "Articles": Place(":material/library_books:"),
    "Import": Place(":material/upload_file:"),
    "Gold": Place(":material/verified:"),
    "Model": Place(":material/model_training:"),
    "Team": Place(":material/group:", needs="agreement"),
    "Lab": Place(":material/science:", is_extra=True),
    "Settings": Place(":material/settings:", needs="topic"),
}
# The sections of a place in the order of their row; the first one is where the menu leads.
CORE: dict[str, Entry] = {
    "start": Entry("Start", "Start", ":material/home:", Right.REVIEW),
    "review": Entry("Review", "Review", ":material/rate_review:", Right.REVIEW),
    "queue": Entry("Articles", "Queue", ":material/low_priority:", Right.REVIEW),
    "articles": Entry("Articles", "All articles", ":material/library_books:", Right.REVIEW),
    "import_articles": Entry("Import", "Import", ":material/upload_file:", Right.IMPORT),
    "gold": Entry("Gold", "Gold", ":material/verified:", Right.GOLD),
    "retrain": Entry("Model", "Retrain", ":material/model_training:", Right.TRAIN),
    "evaluate": Entry("Model", "Evaluate", ":material/monitoring:", Right.EVALUATE),
    # It shows which sentences have no verdict, and labels: it is for people who may see all of them.
    "check": Entry("Model", "Check", ":material/balance:", Right.GOLD),
    "agreement": Entry("Team", "Agreement", ":material/handshake:", Right.AGREEMENT),
    "adjudicate": Entry("Team", "Adjudicate", ":material/gavel:", Right.ADJUDICATE),
    "practice": Entry("Team", "Practice round", ":material/school:", Right.REVIEW),
    # Of their own; of everybody with Right.HISTORY.
    "history": Entry("Team", "History", ":material/history:", Right.REVIEW),
    "topic": Entry("Settings", "Topic", ":material/category:", Right.TOPIC),
    "people": Entry("Settings", "People", ":material/group:", Right.PEOPLE),
    "status": Entry("Settings", "Status", ":material/monitor_heart:", Right.OPERATE),
}
# The page that opens first: its address is the site's.
FIRST = "start"
# Addresses of earlier releases, and where they lead: to a page, with what its address says then.
MOVED = {
    "progress": ("queue", {}),
    "report": ("evaluate", {}),
    "fair_test": ("check", {"what": "fair_test"}),
    "audit": ("check", {"what": "audit"}),
    "search": ("find", {}),
}


@lru_cache(maxsize=1)
def entries() -> dict[str, Entry]:
    """All pages, place by place: the core's, and those that belong to parts that are on."""
    found = list(CORE.items())
    for name, entry in (pair for part in shown_parts() for pair in part.entries.items()):
        before = [place for place, (known, _) in enumerate(found) if known == entry.before]
        found.insert(before[0] if before else len(found), (name, entry))
    order = list(PLACES)
    return dict(sorted(found, key=lambda pair: order.index(pair[1].place)))


def moved() -> dict[str, tuple[str, dict[str, str]]]:
    """Addresses that lead to a page, with what its address says then: of earlier releases, and of panels."""
    return MOVED | {name: ("articles", {PANEL: name}) for name, panel in panels().items() if panel.icon}


def places(open_pages: Container[str], *, extra: bool) -> dict[str, list[str]]:
    """The entries of the menu of a person who may open these pages, each with its sections that are among them.

    Places that the project has to ask for are there with `extra`.
    """
    found = {title: list(sections(title, open_pages)) for title in PLACES if extra or not PLACES[title].is_extra}
    return {title: names for title, names in found.items() if names and PLACES[title].needs in ("", *names)}


def sections(place: str, open_pages: Container[str]) -> dict[str, Entry]:
    """The sections of a place that are among these pages, in the order of their row."""
    return {name: entry for name, entry in entries().items() if entry.place == place and name in open_pages}
