"""How far a job is, as a bar on the command line."""

import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

from tqdm import tqdm

# The details of a job's progress that a bar shows, in addition to the share done.
DETAILS = ("loss", "pairs_per_second", "seconds_left")


class Bar:
    """A progress bar on standard error that follows a job's stages."""

    def __init__(self) -> None:
        self.stage = ""
        self.bar: tqdm[Any] | None = None

    def __call__(self, progress: dict[str, Any]) -> None:
        """Shows one report of a job."""
        if progress["stage"] != self.stage:
            self.close()
            self.stage = progress["stage"]
            self.bar = tqdm(desc=self.stage, total=progress["total"] or None, file=sys.stderr, leave=True)
        if self.bar is not None:
            self.bar.total = progress["total"] or None
            details = {name: value for name, value in progress.items() if name in DETAILS}
            if details:
                self.bar.set_postfix(details, refresh=False)
            self.bar.update(progress["done"] - self.bar.n)

    def close(self) -> None:
        """Ends the bar."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None


@contextmanager
def showing() -> Iterator[Callable[[str, int, int], None]]:
    """For work that tells (stage, done, total): what it tells them to, with a bar that ends with the work."""
    with closing(Bar()) as bar:
        yield lambda stage, done, total: bar({"stage": stage, "done": done, "total": total})
