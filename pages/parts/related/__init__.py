"""Parts of the page Related, and the links of an article in Review: what it cites, what cites it, related articles."""
