"""The revisions, in order. A released one is never changed: tests upgrade from every released schema."""
