"""Questions as people keep them: their facets with other names, what was said of what they find, files to take along.

In: what somebody asks for, and says of what was found. Out: stored questions, relevance, what is new, exports.
"""
