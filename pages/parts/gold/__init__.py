"""Parts of the page Gold: the labels as of now, and the frozen snapshots."""
