"""Which articles are in the project, which tags they bear, and what people chose for themselves. Below `db.articles`:
whatever reads articles may ask here which of them count."""
