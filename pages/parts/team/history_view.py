"""The history on a page: its filters, one page of events, and its files."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from functools import partial

import streamlit as st

from annotate.jobs.kinds import title_of
from annotate.project.home import look_up
from annotate.project.notes import Noted
from annotate.project.rights import Right
from annotate.team.history import FORMATS, KINDS, Cursor, Event, Own, find_article, note_download
from db.base import stamp
from db.gold import texts
from db.team.history import Filter, people
from pages.parts.frame.text import local_time, local_zone, shown
from pages.parts.shared.downloads import CSV, JSON_LINES, File, offer
from pages.parts.shared.tables import HEAD_HEIGHT, ROW_HEIGHT, ask_about, show_table

MEDIA = {".csv": CSV, ".jsonl": JSON_LINES}
EVERYBODY = "Everybody"
HEADS = {"time": "Stored"}
SHOWN_AT_ONCE = 10  # rows; the table scrolls to the others
JOBS = frozenset({Own.JOB, Own.TRAINING, Noted.IMPORT})
CURSORS, TABLE = "history_cursors", "history_events"


def filters(me: str | None, *, everybody: bool) -> Filter | None:
    """The filter that is set; without the right to see everybody's events one's own. None where it names an
    article that is not there."""
    kinds, person, article, since, until = st.columns([2.2, 1.6, 1.8, 1.7, 1.7], vertical_alignment="bottom")
    offered = [kind for kind in KINDS if everybody or kind != Noted.REFUSED]
    wanted = kinds.multiselect(
        "What", offered, format_func=str.capitalize, key="history_kinds", placeholder="Everything"
    )
    whose: str | None = me or ""
    if everybody:
        names = dict.fromkeys([EVERYBODY, *([me] if me else []), *look_up(people)])
        whose = person.selectbox("Who", list(names), key="history_person")
        whose = None if whose == EVERYBODY else whose
    else:
        person.text_input("Who", me or "", disabled=True)
    named = article.text_input("Article", key="history_article", placeholder="PMID, PMCID or DOI").strip()
    first = since.date_input("From", None, key="history_since", format="YYYY-MM-DD")
    last = until.date_input("To", None, key="history_until", format="YYYY-MM-DD")
    article_id = None
    if named:
        article_id = look_up(find_article, named)
        if article_id is None:
            st.warning(f"There is no article {shown(named[:80])}.", icon=":material/search_off:")
            return None
    until_day = _beginning(last + timedelta(days=1) if last else None)
    return Filter(frozenset(wanted), whose, article_id, since=_beginning(first), until=until_day)


def _beginning(day: date | None) -> str | None:
    """When a day begins on the reader's wall, as rows hold times."""
    return stamp(datetime.combine(day, time(), local_zone())) if day else None


def show_mine(me: str) -> None:
    """Sets the filters to one's own verdicts, which can be undone."""
    st.session_state.history_kinds = [str(Own.VERDICT)]
    if "history_person" in st.session_state:
        st.session_state.history_person = me


def cursors(wanted: Filter) -> list[Cursor | None]:
    """Where each page that was turned to begins; only the first once the filter has changed."""
    kept: tuple[Filter, list[Cursor | None]] | None = st.session_state.get(CURSORS)
    if kept is None or kept[0] != wanted:
        kept = (wanted, [None])
        st.session_state[CURSORS] = kept
    return kept[1]


def event_table(found: Sequence[Event], page: int) -> None:
    """One page of events; a click on one asks who said what about its sentence."""
    # Where something new pushes the rows down, no row stays chosen that was not.
    key = f"{TABLE}_{page}_{found[0].kind}_{found[0].id}"
    sentences = look_up(texts, list({one.sentence_id for one in found if one.sentence_id is not None}))
    show_table(
        [
            {
                "time": local_time(one.time),
                "who": one.who,
                "kind": one.kind,
                "what": _what(one),
                "sentence": named.text if (named := sentences.get(one.sentence_id or 0)) else "",
                "article": one.title,
                "review": f"/review?article={one.article_id}" if one.article_id else "",
            }
            for one in found
        ],
        height=HEAD_HEIGHT + ROW_HEIGHT * min(len(found), SHOWN_AT_ONCE),
        heads=HEADS,
        # Together just wider than the table at 1024 pixels: narrower columns are stretched, there at times too far.
        widths={"time": 62, "who": 70, "kind": 70, "what": 200, "sentence": 206, "article": 165, "review": 62},
        selection_mode="single-row",
        on_select=lambda: ask_about(key, [one.sentence_id for one in found]),
        key=key,
    )


def _what(event: Event) -> str:
    """What an event says; a job by its title, as the job's panel has it."""
    kind, colon, rest = event.what.partition(": ")
    return f"{title_of(kind)}{colon}{rest}" if event.kind in JOBS else event.what


def turn_pages(turned: list[Cursor | None], following: Cursor | None) -> None:
    """The ways to newer and older events, where there are any."""
    if len(turned) == 1 and following is None:
        return
    row = st.container(horizontal=True)
    row.button("Newer", disabled=len(turned) == 1, on_click=turned.__delitem__, args=(-1,))
    row.button("Older", disabled=following is None, on_click=turned.append, args=(following,))


def downloads(wanted: Filter) -> None:
    """All events of the filter as files, made when asked for."""
    files = [
        File(
            ending.strip(".").upper(),
            (name := f"keyline-history{ending}"),
            MEDIA[ending],
            Right.HISTORY,
            partial(form, wanted),
            note=partial(note_download, name),
        )
        for ending, form in FORMATS.items()
    ]
    offer(files, key="history")
