"""What the roles of sentences add to the pages."""

from annotate.project.rights import Right
from pages.parts.frame.shown import Entry, Shown

SHOWN = Shown(
    entries={
        "functions": Entry("Data", "Functions", ":material/label_important:", Right.REVIEW, before="gold"),
        "align": Entry("Data", "Align", ":material/compare_arrows:", Right.REVIEW, before="gold"),
    }
)
