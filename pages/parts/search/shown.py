"""What the search adds to the pages: nothing of its own; Find asks it."""

from pages.parts.frame.shown import Shown

SHOWN = Shown()
