"""Parts of the page Language model."""
