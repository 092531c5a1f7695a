"""Several projects on one server: the way to the others, and an app that ends with its parent."""
