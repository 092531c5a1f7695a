"""Parts of the pages Articles and Import."""
