"""What the first visitors after a start would wait for, made ready beside them."""

import gc

from annotate.home import read
from annotate.rounds import attempt


def warm_up() -> None:
    """Remembers the gold, who is done with which article, and what learns at once: seconds at 10,000 articles.

    All that is in memory then stays there, so that collections of cycles, 0.15 s each, need not look at it again.
    """
    from annotate.gold import live_gold  # noqa: PLC0415 (their imports take a second, and the app starts meanwhile)
    from annotate.live_state import prepare  # noqa: PLC0415
    from annotate.waiting import done_by  # noqa: PLC0415

    def remember() -> None:
        with read() as session:
            live_gold(session)
            done_by(session)
        prepare()

    attempt("warming up", remember)
    gc.freeze()
