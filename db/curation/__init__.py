"""Which articles are in the project, which tags they bear, and what people chose for themselves. Below `db.articles`:
code that reads articles may ask here which of them count."""
