"""What the first visitors after a start would wait for, made ready beside them."""

import gc

from annotate import logs
from annotate.acting import KEYLINE, acting
from annotate.home import read
from annotate.operating import TROUBLE


def warm_up() -> None:
    """Remembers the gold, who is done with which article, and what learns at once: seconds at 10,000 articles.

    All that is in memory then stays there, so that collections of cycles, 0.15 s each, need not look at it again.
    """
    from annotate.gold import live_gold  # noqa: PLC0415 (their imports take a second, and the app starts meanwhile)
    from annotate.live_state import prepare  # noqa: PLC0415
    from annotate.waiting import done_by  # noqa: PLC0415

    try:
        with acting(KEYLINE):
            with read() as session:
                live_gold(session)
                done_by(session)
            prepare()
    except TROUBLE as error:
        logs.warning("not warmed up", reason=f"{type(error).__name__}: {error}"[:300])
    gc.freeze()
