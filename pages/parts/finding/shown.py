"""What Find adds to the pages."""

from annotate.project.rights import Right
from pages.parts.finding.found_route import FOUND_ROUTE
from pages.parts.finding.ranker_panel import ranker_panel
from pages.parts.frame.shown import Entry, Shown

SHOWN = Shown(
    entries={"find": Entry("", "Find", ":material/travel_explore:", Right.REVIEW, before="review")},
    routes=(FOUND_ROUTE,),
    retrain=(ranker_panel,),
)
