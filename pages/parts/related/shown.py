"""What related articles add to the pages."""

from annotate.project.rights import Right
from pages.parts.frame.shown import Entry, Shown

SHOWN = Shown(entries={"related": Entry("", "Related", ":material/hub:", Right.REVIEW, before="review")})
