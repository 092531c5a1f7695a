"""Parts of the pages Agreement, Adjudicate, History and People."""
