"""Running the server: backups, copies to another database, checks at start, health, and numbers to watch.

In: settings, the clock. Out: archives, a restored project, what is wrong in words, metrics for Prometheus.
"""
