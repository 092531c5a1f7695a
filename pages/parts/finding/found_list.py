"""Found articles, judged by key: as a list, or one after the other; the browser keeps each answer until the server has
it."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from annotate.articles.citations import address_of
from annotate.finding.asking.exports import sentences_of
from annotate.finding.asking.saved import Kept
from annotate.finding.asking.standing import Standings, State
from annotate.finding.find import Found
from annotate.finding.matching import matching_sentences
from annotate.finding.question import Matcher
from annotate.finding.stages import STAGES
from annotate.project.home import read
from annotate.review.keys import FIND, caps_of
from annotate.review.verdicts import Signed, sign
from annotate.search.queries import Term
from annotate.search.search import ShownSentence, spans
from annotate.topics.file import Topic
from annotate.topics.project_topic import topic_now
from db.finding.questions import UNSURE, Judgement
from pages.parts.server.routes import save_by
from pages.parts.shared.scripts import OUTBOX, OWN_KEYS, component

_HERE = Path(__file__).parent
FIND_ENDPOINT = "/api/find"
_GRADE_WORDS = {0: "not", UNSURE: "unsure"}
MAX_REASON = 80
_WORDS = re.compile(r"\w+")
MOST = 12  # sentences of an article; the first ones are seen at once
WORD, LEARNT = "word", "learnt"

_SCRIPTS = (*OUTBOX, OWN_KEYS, *(_HERE / f"found_{part}.js" for part in ("rows", "tools", "list")))
_mount = component("found_list", '<div class="found"></div>', _SCRIPTS, [_HERE / "found_list.css"])


@dataclass(frozen=True, slots=True)
class _Listed:
    """The data that the list of results shows: the question's names and words, how articles stand for the reviewer,
    their sentences that match, one for articles without, the judgements, `drawn`: the size of the pool from which a
    drawn article came, `learnt`: what a screening marks besides, None where abstracts are not shown, and `matched`: the
    keys that match words or names."""

    topic: Topic
    matcher: Matcher
    terms: Sequence[Term]
    standings: Standings
    matching: Mapping[int, Sequence[ShownSentence]]
    sentences: Mapping[str, str]
    judgements: Mapping[str, Judgement]
    drawn: Mapping[str, int]
    learnt: frozenset[str] | None
    matched: Collection[str]


def _row(found: Found, listed: _Listed) -> dict[str, Any]:
    document, judgement = found.document, listed.judgements.get(found.key)
    state = listed.standings.of(found.article_id)
    waiting = judgement.waiting if judgement else listed.drawn.get(found.key)  # one that is corrected stays a draw
    title = _parts(document.title or found.key, listed)
    sentences = [
        {"parts": _parts(each.text, listed), "href": f"/review?article={found.article_id}&sentence={each.position}",
         "words": f"{each.section or 'text'}, sentence {each.position + 1}"}
        for each in listed.matching.get(found.article_id or 0, ())
    ] or [{"parts": parts} for parts in (_parts(listed.sentences.get(found.key, ""), listed),) if parts]  # fmt: skip
    abstract = [] if listed.learnt is None else [_parts(part, listed) for part in document.text.split("\n")]
    return {
        "key": found.key,
        "article": found.article_id,
        "title": title,
        "meta": " · ".join(filter(None, (document.journal, str(document.year or "")))),
        "link": _link(found),
        "sentences": sentences,
        "abstract": abstract,
        "why": why(found, title, [part for each in sentences for part in each["parts"]]),
        "ranks": " · ".join(f"{STAGES[name].title} {rank:,}" for name, rank in found.ranks.items() if name in STAGES),
        "queueable": state in (State.WAITING, State.HELD, State.SET_ASIDE, State.NO_PROPOSALS),
        "next": state is State.WAITING and found.key in listed.matched,
        "state": "" if state is State.WAITING else str(state),
        "queued": found.article_id in listed.standings.queued,
        "said": _GRADE_WORDS.get(judgement.grade, "relevant") if judgement else "",
        "drawn": waiting is not None,
        "waiting": waiting,
    }


def why(found: Found, title: Sequence[Sequence[str]], sentences: Sequence[Sequence[str]]) -> str:
    """Why an article was found, in words: the names that its title or abstract bears, and where words stand."""
    names = list(dict.fromkeys(name for names in found.matched.values() for name in names))
    in_title, in_text = (
        {words.lower(): words for words, mark in parts if mark == WORD} for parts in (title, sentences)
    )
    places = (("title", in_title), ("text", {low: words for low, words in in_text.items() if low not in in_title}))
    reasons = [f"names {', '.join(names)}"] if names else []
    reasons += [f"{', '.join(words.values())} in the {place}" for place, words in places if words]
    return "; ".join(reasons) or ("similar in meaning" if "vectors" in found.ranks else "passes the filters")


def _link(found: Found) -> dict[str, Any] | None:
    if found.article_id is not None:
        return {"href": f"/review?article={found.article_id}", "words": "Open", "outside": False}
    if not (address := address_of(found.key)):
        return None
    source, _, identifier = found.key.partition(":")
    return {"href": address, "words": f"{source.upper()} {identifier}", "outside": True}


def _parts(text: str, listed: _Listed) -> list[list[str]]:
    """The text in parts, each with the colour of the facet that it matches, WORD for a word, or nothing."""
    colours = {kind.key: str(kind.colour) for kind in listed.topic.file.kinds}
    places = [(each.start, each.end, colours.get(each.facet, "gray")) for each in listed.matcher.places(text)]
    places += [(start, end, WORD) for start, end in spans(text, listed.terms)]
    if listed.learnt:
        words = ((each.start(), each.end()) for each in _WORDS.finditer(text) if each[0].lower() in listed.learnt)
        places += [(start, end, LEARNT) for start, end in words]
    parts, at = [], 0
    for start, end, mark in sorted(places, key=lambda place: (place[0], -place[1])):
        if start >= at:
            parts += [[text[at:start], ""], [text[start:end], mark]]
            at = end
    return [part for part in [*parts, [text[at:], ""]] if part[0]]


def found_list(
    visit: str,
    reviewer: str,
    kept: Kept,
    known: Standings,
    judgements: Mapping[str, Judgement],
    found: Sequence[Found],
    judged: Sequence[Found] = (),
    drawn: Mapping[str, int] | None = None,
    learnt: Collection[str] | None = None,
    matched: Collection[str] = (),
) -> None:
    """Shows what was found for a question, and below it what was judged. `visit` is new where another list is shown.
    `drawn`, by article drawn at random: how many articles it was drawn from. With `learnt`, words to mark, a screening:
    one article at a time, with its abstract in place of sentences. One button queues those of `matched` that wait."""
    question = kept.asked.question
    matcher, every = Matcher(question), [*found, *judged]
    with read() as session:
        stored = {each.article_id for each in every if each.article_id and learnt is None}
        matching, wanted = matching_sentences(session, question, stored, MOST)
        topic = topic_now(session)
    without = [each for each in every if not matching.get(each.article_id or 0)] if learnt is None else []
    marked = None if learnt is None else frozenset(learnt)
    listed = _Listed(
        topic, matcher, wanted, known, matching, sentences_of(without, matcher), judgements, drawn or {}, marked,
        frozenset(matched),
    )  # fmt: skip
    visit = f"{visit}_{st.session_state.get('find_visit', 0)}"
    _mount(
        key=f"found_{visit}",
        data={
            "visit": visit,
            "one": learnt is not None,
            "reviewer": reviewer,
            "endpoint": FIND_ENDPOINT,
            "question": {"id": kept.id, "title": kept.name, "token": _token(reviewer, kept.id)},
            "rows": [_row(each, listed) for each in found],
            "judged": [_row(each, listed) for each in judged],
            "typed": question.text,
            "reason": f"found by {kept.name}"[:MAX_REASON],
            "keys": caps_of(reviewer, FIND),
        },
        on_stored_change=lambda: None,  # the page runs again
    )


def _token(reviewer: str, question_id: int) -> str:
    """Signed once a visit to the tab, so that the same list is the same data."""
    tokens = st.session_state.setdefault("find_tokens", {})
    if (reviewer, question_id) not in tokens:
        tokens[reviewer, question_id] = sign(reviewer, question_id, Signed.QUESTION)
    token: str = tokens[reviewer, question_id]
    return token


async def save_found(request: Request) -> Response:
    """Saves judgements of the page Find, as `save_events`; the token names a question in place of an article."""
    from annotate.finding.asking.saved import record  # noqa: PLC0415 (few pages ask it)

    return await save_by(request, record, Signed.QUESTION)


FOUND_ROUTE = Route(FIND_ENDPOINT, save_found, methods=["POST"])
