"""Queries on model versions, promotions, embeddings and proposals."""
