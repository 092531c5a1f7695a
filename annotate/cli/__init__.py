"""The command line: the same functions as the pages, as `python -m annotate COMMAND`.

In: arguments. Out: an exit code, text or one JSON object.
"""
