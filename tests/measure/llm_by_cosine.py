"""The way of a language model's ranking from end to end: a service on this machine answers by the cosines of the data
folder's proposing version, so that its ARP must be the cosine's.

`KEYLINE_HOME=... python -m tests.measure.llm_by_cosine test` prints every ranking on the articles of a split. It sets
the language model of that data folder: use a copy.
"""

import json
import sys

from annotate.evaluation.evaluate_version import evaluated_articles
from annotate.gold.label_sets import current_label_set
from annotate.project.acting import OPERATOR, acting
from annotate.project.home import read
from annotate.project.stored_settings import change_settings
from annotate.proposing.answers.llm_settings import LlmConsent, LlmSettings
from annotate.proposing.encoder_versions import proposing_version
from annotate.proposing.propose import rank_articles
from annotate.work import run_job
from model.proposing.ranking import Ranking
from tests.support.llm_service import language_model


def main(split: str) -> None:
    """Asks, and prints what the job says."""
    version = proposing_version()
    with read() as session:
        article_ids = evaluated_articles(session, current_label_set(session), split)
        ranked = rank_articles(session, version, Ranking.COSINE, article_ids)
    cosines = {
        " ".join(sentence.text.split()): float(cosine)
        for found in ranked.values()
        for sentence, cosine in zip(found.sentences, found.cosines, strict=True)
    }
    with acting(OPERATOR), language_model(lambda number, text: max(0.0, min(1.0, cosines[text]))) as service:
        change_settings("measure", LlmSettings(address=service.address, model="by cosine"))
        change_settings("measure", LlmConsent(address=service.address))
        print(json.dumps(run_job("llm", {"task": "measure", "split": split}), indent=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
