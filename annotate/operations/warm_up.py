"""Prepares what the first visitors after a start would wait for, while they are served."""

import gc

from annotate.jobs.repeating import try_duty
from annotate.project.home import read


def warm_up() -> None:
    """Remembers the gold, who is done with which article, how far people agree, and what learns at once: seconds at
    10,000 articles.

    All that is in memory then stays there, so that collections of cycles, 0.15 s each, need not look at it again.
    """
    from annotate.active_learning.live_state import prepare  # noqa: PLC0415 (likewise)
    from annotate.gold.label_sets import live_gold  # noqa: PLC0415 (their imports take a second, and the app starts meanwhile)
    from annotate.review.waiting import done_by  # noqa: PLC0415 (likewise)
    from annotate.team.agreement import team_agreement  # noqa: PLC0415 (likewise)

    def remember() -> None:
        with read() as session:
            live_gold(session)
            done_by(session)
            team_agreement(session)
        prepare()

    try_duty("warming up", remember)
    gc.freeze()
