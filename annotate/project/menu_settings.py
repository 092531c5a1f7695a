"""What the menu shows, as the project chose it."""

from annotate.project.rights import Right
from annotate.project.stored_settings import StoredSettings
from model.checked_settings import checked


@checked
class MenuSettings(StoredSettings):
    """`lab`: experiments, simulations and the comparison of encoders have a place in the menu."""

    NAME = "menu"
    RIGHT = Right.STUDY

    lab: bool = False
