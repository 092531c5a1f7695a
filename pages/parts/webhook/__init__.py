"""The webhook on the page Status."""
