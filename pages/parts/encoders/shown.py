"""What the comparison of encoders adds to the pages."""

from annotate.project.rights import Right
from pages.parts.encoders.losses_elsewhere import losses_elsewhere
from pages.parts.frame.shown import Entry, Shown

SHOWN = Shown(
    entries={"encoders": Entry("Lab", "Encoders", ":material/compare:", Right.EVALUATE)},
    candidate=(losses_elsewhere,),
)
