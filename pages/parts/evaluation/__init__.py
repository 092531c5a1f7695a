"""Parts of the pages Evaluate, Report and Audit."""
