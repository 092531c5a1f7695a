"""What tells whether the review may stop: the draws by lot that an estimate rests on, and the stop rule in words.

In: assignments, and key sentences counted by article. Out: draws, and what the rule says.
"""
