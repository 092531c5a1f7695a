"""Names of people: which are fit, and when two are the same."""

import re
import unicodedata

MAX_NAME = 60


def clean_name(name: str) -> str:
    """An annotator's name with single spaces. Raises ValueError for an empty, long or unprintable one."""
    tidy = " ".join(name.split())
    if not tidy or len(tidy) > MAX_NAME or not tidy.isprintable() or re.search(r"[:;|\r\n]", tidy):
        raise ValueError(f"a name is 1 to {MAX_NAME} characters without : ; |")
    return tidy


def name_key(name: str) -> str:
    """What tells two names apart: neither capitals nor how a letter is composed. Cut where no name is as long."""
    folded = " ".join(unicodedata.normalize("NFKC", name[: 4 * MAX_NAME]).casefold().split())
    return "".join(filter(str.isprintable, folded))[: 2 * MAX_NAME]
