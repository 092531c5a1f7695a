"""Order among many articles at once: tags, removal with its return, who is to read what, document labels.

Takes ids of articles and a wish, gives an Outcome: how many it was done for, and of the others why not. Every change
is a row that is only added, in batches so short that no reviewer waits.
"""
