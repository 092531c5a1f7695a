"""Times agreement and adjudication on a made-up project: `python -m tests.measure.agreement [ARTICLES]`, 10,000 unless
said, of which two experts annotate every tenth; each expert gives ten verdicts an article."""

import os
import sys
import tempfile

import numpy as np
from streamlit.testing.v1 import AppTest

from annotate.project.home import read
from tests.measure.progress import seconds
from tests.support.making import judge, verdict
from tests.support.paths import PAGES
from tests.support.reviewed import Review, write_pool, write_reviews

SENTENCES = 30


def fill(articles: int) -> None:
    """Every tenth article by two of five experts, the first of whom always reads it in full; they err now and then."""
    generator = np.random.default_rng(0)
    order = [generator.permutation(SENTENCES)[:10].tolist() for _ in range(articles)]
    write_pool(articles, SENTENCES, order)
    reviews = []
    for i in range(articles):
        experts = generator.permutation(5)[: 2 if i % 10 == 0 else 1]
        truth = generator.random(SENTENCES) < 0.3
        for place, expert in enumerate(experts):
            said = np.where(generator.random(SENTENCES) < 0.1, ~truth, truth)
            in_full = place == 0
            missed = [int(p) for p in np.flatnonzero(said) if p not in order[i]] if in_full else []
            key, other = ([p for p in order[i] if said[p] == value] for value in (True, False))
            reviews.append(
                Review(i + 1, 10 * i, 10 * i + 9, [*key, *missed], other, annotator=f"Expert {expert}", in_full=in_full)
            )
    write_reviews(reviews)


def main() -> None:
    """Prints how long each part takes."""
    from annotate.team.adjudication import disputed_articles
    from annotate.team.agreement import team_agreement
    from annotate.team.opinions import shared_articles

    def once_more() -> None:
        judge("Expert 0", 1, verdict(0))
        with read() as session:
            shared_articles(session)

    with tempfile.TemporaryDirectory() as folder:
        os.environ["KEYLINE_HOME"] = folder
        fill(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
        with read() as session:
            print("what several said:", seconds(lambda: shared_articles(session), 10))
            print("agreement:", seconds(lambda: team_agreement(session), 10))
            print("disagreements:", seconds(lambda: disputed_articles(session), 10))
            found = team_agreement(session).overall
            print(f"{found.units:,} units of {found.articles:,} articles, {len(disputed_articles(session)):,} disputed")
        print("after a new verdict, with storing it:", seconds(once_more, 10))
        for name in ("agreement", "adjudicate"):
            run = AppTest.from_file(str(PAGES / f"{name}.py"), default_timeout=60)
            run.session_state.annotator = "Carla"

            def page(run: AppTest = run) -> None:
                run.run()
                assert not run.exception, run.exception

            print(f"page {name}:", seconds(page, 20))


if __name__ == "__main__":
    main()
