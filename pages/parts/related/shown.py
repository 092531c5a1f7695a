"""What related articles add to the pages."""

from pages.parts.frame.shown import Panel, Shown
from pages.parts.related.related_panel import related_panel

SHOWN = Shown(panels={"related": Panel("Related", related_panel, ":material/hub:")})
