"""Parts of the pages Roles and Align: sentences that do the same, here, elsewhere, and side by side."""
