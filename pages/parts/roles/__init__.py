"""Parts of the page Roles, and panels of an article: sentences that do the same, here, elsewhere, and side by side."""
