"""The task that matters most here: the project's own key sentences, ranked by cosine to each article's query."""

import db.articles
from annotate.articles.document_labels import labels_of, terms_of
from annotate.encoders.tasks.task import Item, Items, NotInstalled, Place
from annotate.evaluation.evaluate_version import NotEnoughGold, evaluated_articles
from annotate.gold.label_sets import current_label_set
from annotate.project.home import read
from annotate.topics.project_topic import topic_now
from db.values import Split
from model.proposing.query import named_query, query_for


def key_sentences(place: Place) -> Items:
    """The test articles with key sentences: the query in front, then the sentences, and 0 or 1 for each of these.

    Raises NotInstalled where the project has none yet.
    """
    with read() as session:
        label_set = current_label_set(session)
        try:
            article_ids = evaluated_articles(session, label_set, Split.TEST)
        except NotEnoughGold as error:
            raise NotInstalled(str(error)) from error
        rules, described = topic_now(session).rules, labels_of(session, article_ids)
        own_query = named_query(rules, place.query)
        texts: dict[int, list[str]] = {article_id: [] for article_id in article_ids}
        for sentence in db.articles.sentences(session, article_ids):
            texts[sentence.article_id].append(sentence.text)
    return Items(
        [
            Item(
                (query_for(rules, terms_of(described[article_id]), own_query=own_query), *sentences),
                [label_set.labels[article_id].get(position, 0) for position in range(len(sentences))],
                str(article_id),
            )
            for article_id, sentences in texts.items()
        ]
    )


def why_no_gold() -> str:
    """Why there is nothing to rank, empty where there is."""
    with read() as session:
        try:
            evaluated_articles(session, current_label_set(session), Split.TEST)
        except NotEnoughGold as error:
            return str(error)
    return ""
