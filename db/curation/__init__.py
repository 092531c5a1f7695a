"""Which articles are in the project, their tags and the choices of people. Below `db.articles`, which asks here."""
