"""What Find stores, one module a concern: vectors of articles, pseudo-queries, questions, relevance."""
