"""What experiments and simulations add to the pages."""

from annotate.project.rights import Right
from pages.parts.frame.shown import Entry, Shown

SHOWN = Shown(
    entries={
        "experiments": Entry("Lab", "Experiments", ":material/science:", Right.STUDY, before="encoders"),
        "simulate": Entry("Lab", "Simulate", ":material/play_circle:", Right.STUDY, before="encoders"),
    }
)
