"""What several projects on one server add to the app: it ends with its parent, and a page leads to the others."""

from annotate.projects.running import ending_with_parent
from pages.parts.frame.shown import Shown
from pages.parts.projects.project_switch import project_switch

SHOWN = Shown(running=(ending_with_parent,), header=(project_switch,))
