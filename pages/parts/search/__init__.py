"""The index of the search on the pages: how far it is behind, and the job that brings it up to date."""
