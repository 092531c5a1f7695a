"""What every page begins with: the menu, who opened it, whether they may be here, and small texts and times."""
