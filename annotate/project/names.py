"""Names of people: which are fit, and when two are the same."""

import re
import unicodedata
from collections.abc import Iterable

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


class Spelling:
    """One spelling of each name: a known one as it is known, another as it is given first."""

    def __init__(self, known: Iterable[str]) -> None:
        names = list(known)
        self._spelled = {name_key(name): name for name in names} | {name: name for name in names}

    def find(self, name: str) -> str | None:
        """The spelling of a name, its own before that of a like one; None where neither was known or given."""
        return self._spelled.get(name) or self._spelled.get(name_key(name))

    def of(self, name: str) -> str:
        """The spelling of a name, which is known from here on. Raises ValueError as `clean_name` does."""
        tidy = clean_name(name)
        return self.find(tidy) or self._spelled.setdefault(
            name_key(tidy), clean_name(unicodedata.normalize("NFKC", tidy))
        )
