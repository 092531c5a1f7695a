"""Parts of the page Gold: the labels as of now, and what is frozen."""
