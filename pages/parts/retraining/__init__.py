"""Parts of the page Retrain: advice, and the form."""
