"""The list of found articles: rows that are judged by key; the browser keeps each answer until the server has it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from annotate.finding.asking.exports import sentences_of
from annotate.finding.asking.saved import Kept
from annotate.finding.asking.standing import Standings, State
from annotate.finding.find import Found
from annotate.finding.question import Matcher
from annotate.finding.stages import STAGES
from annotate.project.home import look_up
from annotate.review.keys import FIND, caps_of
from annotate.review.verdicts import sign
from annotate.topics.file import Topic
from annotate.topics.project_topic import topic_now
from db.finding.questions import Said
from pages.parts.server.routes import save_by
from pages.parts.shared.scripts import OUTBOX, OWN_KEYS, component

_HERE = Path(__file__).parent
FIND_ENDPOINT = "/api/find"
_SAID = {0: "not", None: ""}
MAX_REASON = 80

_SCRIPTS = (*OUTBOX, OWN_KEYS, _HERE / "found_rows.js", _HERE / "found_list.js")
_mount = component("found_list", '<div class="found"></div>', _SCRIPTS, [_HERE / "found_list.css"])


@dataclass(frozen=True, slots=True)
class _Listed:
    """The data that the list of results shows: their standing for the reviewer, their sentences, the judgements, and
    `drawn`: the size of the pool from which a drawn article came."""

    topic: Topic
    matcher: Matcher
    standings: Standings
    sentences: dict[str, str]
    said: Mapping[str, Said]
    drawn: Mapping[str, int]


def _row(found: Found, listed: _Listed) -> dict[str, Any]:
    kinds = {kind.key: kind for kind in listed.topic.file.kinds}
    document, said = found.document, listed.said.get(found.key)
    state = listed.standings.of(found.article_id)
    waiting = said.waiting if said else listed.drawn.get(found.key)  # one that is corrected stays a draw
    return {
        "key": found.key,
        "article": found.article_id,
        "title": _parts(document.title or found.key, listed),
        "meta": " · ".join(filter(None, (document.journal, str(document.year or "")))),
        "link": _link(found),
        "matched": [
            {"facet": {"key": kinds[key].colour, "name": kinds[key].name}, "names": list(names)}
            for key, names in found.matched.items()
            if key in kinds
        ],
        "sentence": _parts(listed.sentences.get(found.key, ""), listed),
        "why": why(found),
        "queueable": state in (State.WAITING, State.HELD, State.SET_ASIDE, State.NO_PROPOSALS),
        "state": "" if state is State.WAITING else str(state),
        "queued": found.article_id in listed.standings.queued,
        "said": _SAID.get(said.grade, "relevant") if said else "",
        "drawn": waiting is not None,
        "waiting": waiting,
    }


def why(found: Found) -> str:
    """The rank of the found article in each stage that found it, in the order in which stages run."""
    return " · ".join(f"{STAGES[name].title} {rank:,}" for name, rank in found.ranks.items() if name in STAGES)


def _link(found: Found) -> dict[str, Any] | None:
    if found.article_id is not None:
        return {"href": f"/review?article={found.article_id}", "words": "Open", "outside": False}
    source, _, identifier = found.key.partition(":")
    pages = {
        "pmid": f"https://pubmed.ncbi.nlm.nih.gov/{identifier}/",
        "pmcid": f"https://pmc.ncbi.nlm.nih.gov/articles/{identifier}/",
    }
    if source not in pages or not identifier.isalnum():
        return None
    return {"href": pages[source], "words": f"{source.upper()} {identifier}", "outside": True}


def _parts(text: str, listed: _Listed) -> list[list[str]]:
    """The text in parts, each with the colour of the facet that it matches, or none."""
    colours = {kind.key: str(kind.colour) for kind in listed.topic.file.kinds}
    parts, at = [], 0
    for match in listed.matcher.places(text):
        parts += [[text[at : match.start], ""], [text[match.start : match.end], colours.get(match.facet, "gray")]]
        at = match.end
    return [part for part in [*parts, [text[at:], ""]] if part[0]]


def found_list(
    visit: str,
    reviewer: str,
    kept: Kept,
    known: Standings,
    said: Mapping[str, Said],
    found: Sequence[Found],
    judged: Sequence[Found] = (),
    drawn: Mapping[str, int] | None = None,
) -> None:
    """Shows what was found for a question, and below it what was judged. `visit` is new where another list is shown.
    `drawn`, by article drawn at random: how many articles it was drawn from."""
    matcher = Matcher(kept.asked.question)
    listed = _Listed(look_up(topic_now), matcher, known, sentences_of([*found, *judged], matcher), said, drawn or {})
    visit = f"{visit}_{st.session_state.get('find_visit', 0)}"
    _mount(
        key=f"found_{visit}",
        data={
            "visit": visit,
            "reviewer": reviewer,
            "endpoint": FIND_ENDPOINT,
            "question": {"id": kept.id, "title": kept.name, "token": _token(reviewer, kept.id)},
            "rows": [_row(each, listed) for each in found],
            "judged": [_row(each, listed) for each in judged],
            "reason": f"found by {kept.name}"[:MAX_REASON],
            "keys": caps_of(reviewer, FIND),
        },
        on_stored_change=lambda: None,  # the page runs again
    )


def _token(reviewer: str, question_id: int) -> str:
    """Signed once a visit to the tab, so that the same list is the same data."""
    tokens = st.session_state.setdefault("find_tokens", {})
    if (reviewer, question_id) not in tokens:
        tokens[reviewer, question_id] = sign(reviewer, question_id)
    token: str = tokens[reviewer, question_id]
    return token


async def save_found(request: Request) -> Response:
    """Saves judgements of the page Find, as `save_events`; the token names a question in place of an article."""
    from annotate.finding.asking.saved import record  # noqa: PLC0415 (few pages ask it)

    return await save_by(request, record)


FOUND_ROUTE = Route(FIND_ENDPOINT, save_found, methods=["POST"])
