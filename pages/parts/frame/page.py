"""What every page begins with: its frame, who is working, and whether they may be here."""

import inspect
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NoReturn
from urllib.parse import unquote, urlsplit

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitPageNotFoundError

import db.review.verdicts
from annotate.jobs.repeating import note_click
from annotate.operations.model_files import serving_notice
from annotate.operations.overview import work_waiting
from annotate.project.acting import Auth, Forbidden, allowed, auth, current_actor, resolve_by, role_of
from annotate.project.home import look_up, read
from annotate.project.menu_settings import MenuSettings
from annotate.project.names import clean_name
from annotate.project.refusals import note_refusal
from annotate.project.rights import Right
from annotate.project.rights import may as role_may
from annotate.project.served import project_name
from annotate.project.stored_settings import settings_now
from annotate.team.logins import note_login_used, why_not
from pages.parts.frame.account import account_box, ask_to_log_in, may_not_open
from pages.parts.frame.api_tokens import tokens_button
from pages.parts.frame.entries import FIRST, entries, places, sections
from pages.parts.frame.messages import begin_run, keep_error, show_message
from pages.parts.frame.own_keys import keys_button
from pages.parts.frame.palette import palette
from pages.parts.frame.shown import Entry, shown_parts
from pages.parts.frame.templates import render
from pages.parts.frame.text import shown
from pages.parts.frame.theme_switch import theme_switch
from pages.parts.frame.who import NAME_COOKIE, box_key, name_here, resolve

PAGES = Path(__file__).parents[2]
MOST_DIGITS = 16
# For this long what others do may be missing in the numbers of the menu; what one says oneself counts at once.
WORK_SECONDS = 20
MOST_WORK = 999
MARK = Path(__file__).parent / "mark.svg"

# The name is kept by the browser, so that a reload or a restart of the app does not ask again.
_remember = st.components.v2.component(
    "remember_annotator",
    js=f"""export default ({{ data }}) => {{
  document.cookie = "{NAME_COOKIE}=" + encodeURIComponent(data.name) + "; max-age=31536000; path=/; samesite=lax";
}}""",
)
resolve_by(resolve)


def open_page(*, heading: bool = True) -> DeltaGenerator:
    """Sets the page up and returns its header row, for controls of the page's own.

    The row begins with the sections of the page's place, or with the title where there is one section for the person.

    Every page calls this first, so that each runs on its own. A person who may not open the page is told so, and it
    ends here: its title and its right are the ones of its file's name in `entries`.
    """
    note_click()
    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    name = Path(frame.f_back.f_code.co_filename).stem
    entry = entries()[name]
    st.set_page_config(page_title=f"{entry.title} · Keyline", layout="wide")
    begin_run()
    st.logo(str(MARK), size="medium")
    header = st.container(horizontal=True, vertical_alignment="center", gap="small", key="page_header")
    _let_in(header, entry, heading=heading)
    if name == FIRST and (asked := unknown_page()):
        st.info(shown(f"There is no page /{asked}; this is {entry.title}."), icon=":material/info:")
    damage_notice()
    return header


def damage_notice() -> None:
    """Tells those who can do something about it that the proposing version cannot be loaded."""
    with read() as session:
        notice = serving_notice(session)
        can_act = notice and (allowed(session, Right.PROMOTE) or allowed(session, Right.OPERATE))
    if notice and can_act:
        st.warning(shown(notice), icon=":material/warning:")


def unknown_page() -> str:
    """The path of the address that the browser shows, where Keyline has no such page; empty where it has."""
    path = unquote(urlsplit(st.context.url or "").path).strip("/")
    asked = path.removeprefix(st.get_option("server.baseUrlPath").strip("/")).strip("/")
    return "" if asked in entries() else asked


def _let_in(header: DeltaGenerator, entry: Entry, *, heading: bool) -> None:
    mine = open_to_me()
    if heading and len(row := sections(entry.place, mine)) > 1 and entry in row.values():
        work = my_work()
        named = [(name, section.title, work_on([name], work)) for name, section in row.items()]
        header.html(render("sections.html.j2", place=entry.place, sections=named, here=entry.title), width="stretch")
    elif heading:
        header.markdown(f"## {entry.title}", width="stretch")
    if auth() is Auth.OFF:
        _show_project(header, entry)
        _palette(header, mine)
        _annotator_box(header)
        return
    with read() as session:
        logged_out = why_not(session, current_actor())
        may_open = allowed(session, entry.right)
    if logged_out:
        ask_to_log_in(logged_out)
        st.stop()
    note_login_used(current_actor())
    _show_project(header, entry)
    _palette(header, mine)
    with account_box(header):
        in_menu = {name for names in my_places().values() for name in names}
        for name, other in entries().items():
            if name in mine - in_menu:
                link_to(name, other.title)
    if not may_open:
        note_refusal(Forbidden(f"{current_actor().name} may not open the page {entry.title}"))
        may_not_open(entry.right)
        st.stop()


def _palette(header: DeltaGenerator, mine: set[str]) -> None:
    with header.container(width="content", key="palette_place"):
        palette({name: entry for name, entry in entries().items() if name in mine})


def _show_project(header: DeltaGenerator, entry: Entry) -> None:
    """Shows the project's name to a person who was let in: others are not told it."""
    if name := project_name():
        st.set_page_config(page_title=f"{entry.title} · {name} · Keyline")
    for draw in (draw for part in shown_parts() for draw in part.header):
        draw(header)


def may(right: Right) -> bool:
    """Whether the person has a right now, so that a page shows nothing that would be refused."""
    if current_actor().operator:
        return True
    return look_up(allowed, right)


def open_to_me() -> set[str]:
    """The names of the pages that the person may open."""
    actor = current_actor()
    if actor.operator:
        return set(entries())
    role = look_up(role_of, actor)
    return {page for page, entry in entries().items() if role_may(role, entry.right)}


def my_places() -> dict[str, list[str]]:
    """The entries of the person's menu, each with its sections."""
    return places(open_to_me(), extra=look_up(settings_now, MenuSettings).lab)


def my_work() -> Mapping[str, int]:
    """How much waits for the person, by page: as of what they did last, and of others at most WORK_SECONDS ago."""
    if not (name := annotator()):
        return {}
    with read() as session:
        mark = name, db.review.verdicts.last_events(session)
        known = st.session_state.get("work_waiting")
        if known is None or known[0] != mark or known[1] < time.monotonic():
            known = mark, time.monotonic() + WORK_SECONDS, work_waiting(session, name)
            st.session_state.work_waiting = known
    found: Mapping[str, int] = known[2]
    return found


def work_on(names: Iterable[str], work: Mapping[str, int]) -> str:
    """How much of the work waits on these pages, as the menu says it; empty where none does."""
    number = sum(work.get(page, 0) for page in names)
    return "" if not number else f"{number:,}" if number <= MOST_WORK else f"{MOST_WORK}+"


def annotator() -> str | None:
    """Who is working: by their account, or without login as this tab or else the browser knows it."""
    if auth() is not Auth.OFF:
        return current_actor().name or None
    return name_here()


def require_annotator() -> str:
    """The annotator's name; without one, asks for it and stops the page here."""
    name = annotator()
    if name is None:
        st.subheader("Who is reviewing?")
        st.caption("Keyline saves every verdict under a name. This browser remembers it.")
        with st.form("who", width=420):
            st.text_input("Your name", key="new_annotator", max_chars=60, placeholder="e.g. Anna")
            st.form_submit_button("Start", type="primary", on_click=_take_name, args=("new_annotator",))
        show_message("name_error")
        st.stop()
    return name


def _annotator_box(header: DeltaGenerator) -> None:
    name = annotator()
    if name is None:
        return
    _remember(data={"name": name}, key="remember", height=1)
    names = look_up(db.review.verdicts.annotators)
    options = names if name in names else [name, *names]
    with header.popover(shown(name), icon=":material/person:", key=box_key()):
        st.selectbox(
            "Working as",
            options,
            index=options.index(name),
            key=f"working_as_{name}",
            accept_new_options=True,
            on_change=_take_name,
            args=(f"working_as_{name}",),
            help="Choose a name or type a new one. Keyline saves every verdict under it.",
        )
        theme_switch()
        keys_button(name)
        tokens_button()
    show_message("name_error")


def _take_name(key: str) -> None:
    with keep_error("name_error", "This name cannot be used: {}."):
        st.session_state.annotator = clean_name(st.session_state[key] or "")


def end_with(text: str, page: str = "", label: str = "", *, icon: str = "inbox") -> NoReturn:
    """Ends a page with why there is nothing on it, and a link to the page where one may begin."""
    st.info(text, icon=f":material/{icon}:")
    if page:
        link_to(page, label)
    st.stop()


def number_in_address(name: str) -> int | None:
    """The whole number that the address gives under this name; None where it gives none that a row could have."""
    given = st.query_params.get(name, "")
    return int(given) if given.isascii() and given.isdecimal() and len(given) < MOST_DIGITS else None


def link_to(page: str, label: str, **address: str) -> None:
    """A link to another page, by the name of its file, with its icon; none to a page that the person may not open.

    `address` is what its address says behind its name.

    None either to a page of a part that is off, or where a page runs alone, without the frame around it.
    """
    entry = entries().get(page)
    if entry is None or not may(entry.right):
        return
    # Streamlit takes a relative path from the folder of the script that declares the pages, which is not theirs.
    with suppress(StreamlitPageNotFoundError):
        st.page_link(str(PAGES / f"{page}.py"), label=label, icon=entry.icon, query_params=address)
