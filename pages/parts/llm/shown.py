"""What the language model adds to the pages."""

from annotate.project.rights import Right
from pages.parts.frame.shown import Entry, Shown

SHOWN = Shown(
    entries={"language_model": Entry("Settings", "Language model", ":material/forum:", Right.EVALUATE, before="people")}
)
