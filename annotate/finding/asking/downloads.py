"""A question's results as a file: ranked when it is asked for, with what this person said of them."""

import db.finding.found_articles
from annotate.finding.asking.answers import answered
from annotate.finding.asking.exports import FILES, Row
from annotate.finding.asking.relevance import judged
from annotate.finding.asking.saved import kept
from annotate.finding.asking.sentences import sentences_of
from annotate.finding.find import Found
from annotate.finding.matching import Matcher
from annotate.project.home import read
from db.tables import Article

MOST = 1_000


def file_of(kind: str, question_id: int, reviewer: str, most: int = MOST) -> str:
    """The results of a question of this person, or one that is shared, as run, qrels, csv or ris.

    Raises ValueError for another kind, NotYours for the question of another.
    """
    if kind not in FILES:
        raise ValueError(f"{kind!r} is no kind of file; there are {', '.join(FILES)}")
    with read() as session:
        question = kept(session, question_id, reviewer)
        said = judged(session, question_id, reviewer)
    answer = answered(question.asked)
    keys = answer.order.keys[:most]
    keys += [key for key in said if key not in set(keys)]
    found = answer.found(keys)
    with read() as session:
        articles = {each.key: each for each in db.finding.found_articles.by_keys(session, keys)}
    sentences = sentences_of(found, Matcher(question.asked.question))
    rows = [
        _row(each, articles.get(each.key), sentences, said[each.key].grade if each.key in said else None)
        for each in found
    ]
    if kind == "qrels":  # what was said of articles that are not here belongs to it, too
        here = {row.key for row in rows}
        rows += [Row(key, "", 0.0, relevant=one.grade) for key, one in said.items() if key not in here]
    return FILES[kind](str(question_id), rows)


def _row(found: Found, article: Article | None, sentences: dict[str, str], grade: int | None) -> Row:
    document = found.document
    return Row(
        found.key,
        document.title,
        found.score,
        journal=document.journal,
        year=document.year,
        pmid=(article and article.pmid) or "",
        pmcid=(article and article.pmcid) or "",
        doi=(article and article.doi) or "",
        abstract=document.text,
        sentence=sentences.get(found.key, ""),
        relevant=grade,
    )
