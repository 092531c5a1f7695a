"""The task that matters most here: the project's own key sentences, ranked by cosine to each article's query."""

from annotate.encoders.tasks.task import Item, Items, NotInstalled, Place
from annotate.evaluation.evaluate_version import NotEnoughGold, evaluated_articles
from annotate.gold.label_sets import current_label_set
from annotate.project.home import read
from annotate.retraining.training_set import labelled_articles
from db.values import Split


def key_sentences(place: Place) -> Items:
    """The test articles with key sentences: the query in front, then the sentences, and 0 or 1 for each of these.

    Raises NotInstalled where the project has none yet.
    """
    if why := why_no_gold():
        raise NotInstalled(why)
    with read() as session:
        articles = labelled_articles(session, current_label_set(session), Split.TEST, place.query)
    return Items([Item((one.query, *one.sentences), one.truth, one.key) for one in articles if any(one.truth)])


def why_no_gold() -> str:
    """Why there is nothing to rank, empty where there is."""
    with read() as session:
        try:
            evaluated_articles(session, current_label_set(session), Split.TEST)
        except NotEnoughGold as error:
            return str(error)
    return ""
