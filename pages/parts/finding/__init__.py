"""What the page Find is made of: the question's form, what it finds, screening, saved searches, Europe PMC."""
