"""The one registry of trained things: versions with their files and figures, promoted by people, rolled back, never
deleted.

In: folders of files that a training wrote, what it learnt from, and who chooses. Out: versions by kind, the one in use,
its files once their SHA-256 is checked. What a kind is stands in its line of `kinds.KINDS`.
"""
