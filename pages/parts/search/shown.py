"""What Search adds to the pages."""

from annotate.project.rights import Right
from pages.parts.frame.shown import Entry, Shown

SHOWN = Shown(entries={"search": Entry("Find", "Search", ":material/search:", Right.REVIEW)})
