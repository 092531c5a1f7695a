"""Parts of the page Status."""
