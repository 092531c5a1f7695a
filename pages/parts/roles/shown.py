"""What the roles of sentences add to the pages."""

from annotate.project.rights import Right
from annotate.roles.view import roles_view
from pages.parts.frame.shown import Entry, Panel, Shown
from pages.parts.roles.panels import align_panel, alike_panel

SHOWN = Shown(
    entries={
        "functions": Entry("Settings", "Roles", ":material/label_important:", Right.REVIEW, before="people"),
    },
    panels={
        "alike": Panel("More like this", alike_panel),
        "align": Panel("Align", align_panel, ":material/compare_arrows:"),
    },
    reading={"roles": roles_view},
)
