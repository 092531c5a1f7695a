"""The list of found articles: rows that are judged by key; the browser keeps each answer until the server has it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st

from annotate.finding.asking.standing import Standings, State
from annotate.finding.find import Found
from annotate.finding.matching import Matcher
from annotate.finding.stages import STAGES
from annotate.review.keys import FIND, caps_of
from annotate.review.verdicts import sign
from annotate.topics.file import Topic
from db.finding.questions import Said
from pages.parts.finding.found_route import FIND_ENDPOINT
from pages.parts.shared.scripts import OUTBOX, OWN_KEYS, joined

_HERE = Path(__file__).parent
_SAID = {0: "not", None: ""}
MAX_REASON = 80

# Registered at import, not per run: a component's name may be taken once.
_mount = st.components.v2.component(
    "found_list",
    html='<div class="found"></div>',
    css=(_HERE / "found_list.css").read_text(encoding="utf-8"),
    js=joined([*OUTBOX, OWN_KEYS, _HERE / "found_rows.js", _HERE / "found_list.js"]),
)


@dataclass(frozen=True, slots=True)
class Listed:
    """The data that the list of results shows: their standing for the reviewer, their sentences, the judgements, and
    `drawn`: the size of the pool from which a drawn article came."""

    topic: Topic
    matcher: Matcher
    standings: Standings
    sentences: dict[str, str]
    said: dict[str, Said]
    drawn: dict[str, int] = field(default_factory=dict)


def rows_of(found: Sequence[Found], listed: Listed) -> list[dict[str, Any]]:
    """The rows as the component takes them."""
    return [_row(each, listed) for each in found]


def _row(found: Found, listed: Listed) -> dict[str, Any]:
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


def _parts(text: str, listed: Listed) -> list[list[str]]:
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
    question: tuple[int, str],
    rows: Sequence[dict[str, Any]],
    judged: Sequence[dict[str, Any]],
    *,
    can_queue: bool = True,
    on_stored: Callable[[], None] = lambda: None,
) -> None:
    """Shows the rows, and below them those that were judged. `visit` is new where another list is shown; `question` is
    its id and name. `on_stored` runs before the script, once answers are on the server's disk."""
    number, name = question
    _mount(
        key=f"found_{visit}",
        data={
            "visit": visit,
            "reviewer": reviewer,
            "endpoint": FIND_ENDPOINT,
            "question": {"id": number, "title": name, "token": _token(reviewer, number)},
            "rows": list(rows),
            "judged": list(judged),
            "canQueue": can_queue,
            "reason": f"found by {name}"[:MAX_REASON],
            "keys": caps_of(reviewer, FIND),
        },
        on_stored_change=on_stored,
    )


def _token(reviewer: str, question_id: int) -> str:
    """Signed once a visit to the tab, so that the same list is the same data."""
    tokens = st.session_state.setdefault("find_tokens", {})
    if (reviewer, question_id) not in tokens:
        tokens[reviewer, question_id] = sign(reviewer, question_id)
    token: str = tokens[reviewer, question_id]
    return token
