"""Parts of the page Encoders."""
