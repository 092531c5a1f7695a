"""What entities add to the pages."""

from annotate.entities.vocabularies import vocabulary_names
from pages.parts.entities.proposed_labels import offer_labels
from pages.parts.entities.vocabulary_tab import vocabulary_tab
from pages.parts.frame.shown import Shown

SHOWN = Shown(
    import_tabs={"Names of genes and cells": vocabulary_tab},
    other_names=(vocabulary_names,),
    label_tools=(offer_labels,),
)
