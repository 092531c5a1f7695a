"""What experiments and simulations add to the pages."""

from annotate.project.rights import Right
from pages.parts.frame.shown import Entry, Shown

SHOWN = Shown(
    entries={
        "experiments": Entry("Studies", "Experiments", ":material/science:", Right.STUDY, before="agreement"),
        "simulate": Entry("Studies", "Simulate", ":material/play_circle:", Right.STUDY, before="agreement"),
    }
)
