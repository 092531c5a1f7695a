"""The optional parts of Keyline: the jobs that each brings, and what it does after an import, proposing or training.

In: nothing. Out: `chosen.NAMES`, one line for each part. Without its line a part's pages, commands, jobs and steps are
gone; the core imports, proposes, reviews, trains and promotes as before.
"""
