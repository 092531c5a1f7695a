"""What Find stores, one module a concern: vectors of articles, questions, relevance."""
