"""What the roles of sentences add to the pages."""

from annotate.project.rights import Right
from annotate.roles.view import roles_view
from pages.parts.frame.shown import Entry, Shown

SHOWN = Shown(
    entries={
        "functions": Entry("Articles", "Roles", ":material/label_important:", Right.REVIEW),
        "align": Entry("Articles", "Align", ":material/compare_arrows:", Right.REVIEW),
    },
    reading={"roles": roles_view},
)
