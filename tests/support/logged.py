"""What was logged while a test ran.

pytest's own way looks through a thousand loggers three times a test, since Streamlit's hand nothing up; it is off.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


class Logged(logging.Handler):
    """Keeps the words of each record."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())

    @property
    def text(self) -> str:
        """All of it, a record a line."""
        return "\n".join(self.lines)


@contextmanager
def logging_kept(level: int = logging.WARNING) -> Iterator[Logged]:
    """What is logged within, from this level on, also where the product's own log takes it and hands nothing up."""
    kept = Logged()
    loggers = [logging.getLogger(name) for name in (None, "annotate")]
    before = [(logger, logger.level, logger.propagate) for logger in loggers]
    loggers[0].addHandler(kept)
    for logger in loggers:
        logger.setLevel(level)
        logger.propagate = True
    try:
        yield kept
    finally:
        loggers[0].removeHandler(kept)
        for logger, its_level, propagates in before:
            logger.setLevel(its_level)
            logger.propagate = propagates
