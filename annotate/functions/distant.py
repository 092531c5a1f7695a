"""Sentences with a function by the list of phrases, from abstracts that nobody labelled."""

from annotate.functions.fine import functions_of
from annotate.functions.labelled import unlabelled_abstracts


def distant_labels() -> list[tuple[tuple[str, ...], tuple[int, ...]]]:
    """The unlabelled abstracts of the package that comes along, each sentence with its function's place, or -1.

    Abstracts in which no sentence has one are left out.
    """
    found = ((abstract, functions_of(abstract)) for abstract in unlabelled_abstracts())
    return [(abstract, functions) for abstract, functions in found if max(functions, default=-1) >= 0]
