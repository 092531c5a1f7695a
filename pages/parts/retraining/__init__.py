"""Parts of the page Retrain: advice, the form, and which version proposes."""
