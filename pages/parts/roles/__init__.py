"""Parts of the pages Functions and Align: sentences that do the same, here, elsewhere, and side by side."""
