"""The sentence that stands below a title: the one that the key sentence model ranks first, else one that matches."""

from collections.abc import Sequence

from annotate.articles.sentences import split_sentences
from annotate.finding.find import Found
from annotate.finding.matching import Matcher
from annotate.finding.stored_sentences import key_sentences

LONGEST = 400  # characters of a sentence on the page


def sentences_of(found: Sequence[Found], matcher: Matcher) -> dict[str, str]:
    """A sentence by key: the best serving proposal, else the first of the abstract in which most facets stand."""
    told = key_sentences([each.article_id for each in found if each.article_id is not None])
    chosen = {}
    for each in found:
        proposed = told.get(each.article_id) if each.article_id is not None else None
        text = proposed.text if proposed else matched_sentence(each.document.text, matcher)
        chosen[each.key] = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return chosen


def matched_sentence(text: str, matcher: Matcher) -> str:
    """The first sentence of a text in which most facets stand; "" of a text without any sentence."""
    sentences = [text[start:end] for start, end in split_sentences(text)]
    return max(sentences, key=lambda sentence: len(matcher.names_in(sentence)), default="")
