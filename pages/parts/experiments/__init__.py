"""Parts of the pages Experiments and Simulate."""
