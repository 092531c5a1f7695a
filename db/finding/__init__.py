"""What Find stores, one module a concern: vectors of articles, ranking models, pseudo-queries, questions, relevance."""
