"""One test of many files: a check of each of them, where a test of each would cost more than what it looks at."""

from collections.abc import Callable, Iterable
from pathlib import Path


def each(paths: Iterable[Path]) -> Callable[[Callable[[Path], None]], Callable[[], None]]:
    """Makes a check of a file one test of all these files, which names those that fail and why."""
    ordered = list(paths)
    assert ordered, "a check of no file would always pass"

    def as_one(check: Callable[[Path], None]) -> Callable[[], None]:
        def test() -> None:
            wrong = [f"{path}: {said}" for path in ordered if (said := _said_by(check, path)) is not None]
            assert not wrong, "\n".join(wrong)

        test.__name__ = check.__name__
        test.__doc__ = check.__doc__
        test.__module__ = check.__module__
        return test

    return as_one


def _said_by(check: Callable[[Path], None], path: Path) -> str | None:
    """None where the check passes."""
    try:
        check(path)
    except AssertionError as error:
        return str(error)
    return None
