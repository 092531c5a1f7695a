"""The project's topic on a page: chosen or copied, changed part by part, previewed, and made the one that holds."""

import zlib
from typing import Any

import streamlit as st

import db.curation
from annotate.active_learning.topic_preview import Previewed, preview
from annotate.project.home import look_up
from annotate.project.rights import Right
from annotate.topics.file import SHIPPED, BadTopic, Topic, shipped
from annotate.topics.project_topic import earlier_topics, searched_topic, use_topic
from annotate.topics.schema import MOST_KINDS
from annotate.topics.sections import REST, parts_of_text, problems_by_part, text_with
from model.proposing.bounded import SlowPattern
from pages.parts.frame.messages import keep_error
from pages.parts.frame.templates import render
from pages.parts.frame.text import local_time, shown
from pages.parts.shared.downloads import File, offer
from pages.parts.shared.job_panel import start_job

HERE = "the project's topic"
BEFORE = "the topic before"
ABOUT = {
    "name": "The name that people see.",
    "about": "One line: which sentences it is about.",
    "guideline": "What a key sentence is, with examples that count and examples that do not. Lists, **bold** and "
    "*italic* are shown. Annotators open it next to the article with the key G.",
    "kinds": f"At most {MOST_KINDS} kinds of document labels: their names, colours, and how Keyline finds them.",
    "cues": "At most eight signs for or against a sentence: words or a pattern, and how many points.",
    "queries": "What sentences are compared with. {kind} is replaced by an article's names; [...] is left out without.",
    "whole": "The file as stored. Keyline shows its parts once it is valid.",
    "rest": "The version of the format, the weight of the cosine, the first ranking, and pieces of patterns.",
}
HEIGHTS = {"guideline": 300, "kinds": 340, "cues": 340, "queries": 170, "rest": 300, "whole": 500}
TABS = {"Guideline": ("name", "about", "guideline"), "Kinds": ("kinds",), "Cues": ("cues",), "Queries": ("queries",),
        "The rest": ("rest",)}  # fmt: skip
FORMS = "written_topic"  # the keys of both forms begin so
BEGUN = f"{FORMS}_begun"  # the topic of the forms, once something was written in them
WHOLE = "whole"  # all of a topic that cannot be told apart


def begun_with(now: Topic) -> Topic:
    """The topic that the forms are filled with: the one in use, or an earlier one while what was written in them stays.

    Draws that another came into use meanwhile, and the button that gives way to it.
    """
    begun: Topic = st.session_state.get(BEGUN, now)
    if not any(str(key).startswith(f"{FORMS}_{begun.sha256}") for key in st.session_state):
        st.session_state.pop(BEGUN, None)  # the fields went with an earlier visit of the page
        return now
    if begun.sha256 == now.sha256:
        return now
    st.info(shown(f"{now.name} came into use while you wrote. What you wrote is still here."), icon=":material/info:")
    st.button("Leave it and show the topic in use", on_click=forget)
    return begun


def keep(begun: Topic) -> None:
    """The forms stay filled with this topic, since something was written in them."""
    st.session_state[BEGUN] = begun


def forget() -> None:
    """Both forms are filled with the topic in use when they are drawn again."""
    for key in [key for key in st.session_state if str(key).startswith(FORMS)]:
        del st.session_state[key]


def choices(begun: Topic, *, unreadable: bool = False, words: str = HERE) -> dict[str, tuple[str, str]]:
    """What one can begin with: {label: (text, where it comes from)}. `begun` stands in for one that is unreadable."""
    found = {} if unreadable else {f"{words}: {begun.name}": (begun.text, begun.name)}
    if unreadable:
        stored = look_up(earlier_topics)[0]
        found[f"{HERE}, not valid: {stored.name}"] = (stored.text, stored.name)
    found |= {f"shipped: {shipped(key).name}": (shipped(key).text, key) for key in SHIPPED}
    rows = look_up(earlier_topics)
    named = {f"chosen {local_time(row.created_at)}: {row.name} ({row.sha256[:6]})": row for row in rows[1:]}
    return found | {label: (row.text, row.name) for label, row in named.items()}


def topic_form(now: Topic, by: str, *, unreadable: bool = False) -> None:
    """Draws the choice, the parts with the errors below each, the preview, and the button that makes it hold.

    A topic that cannot be read in parts is one field. Where the stored one is unreadable, any other may replace it.
    """
    begun = begun_with(now)
    same = begun.sha256 == now.sha256
    offered = choices(begun, unreadable=unreadable and same, words=HERE if same else BEFORE)
    form = f"{FORMS}_{begun.sha256}"
    kept: dict[str, Any] = {"persist_state": "page", "on_change": keep, "args": (begun,)}
    chosen = st.selectbox("Begin with", list(offered), key=f"{form}_choice", **kept)
    text, source = offered[chosen]
    form += f"_{zlib.crc32(text.encode())}"
    try:
        parts = parts_of_text(text)
    except BadTopic:
        parts = {WHOLE: text}
    given = {name: st.session_state.get(f"{form}_{name}", value) for name, value in parts.items()}
    changed = {name: value for name, value in given.items() if value != parts[name]}
    written = given.get(WHOLE) or (text_with(text, changed) if changed else text)
    wrong = problems_by_part(written, source)
    tabs = {_title(WHOLE): (WHOLE,)} if WHOLE in parts else TABS
    if WHOLE in parts and wrong:
        wrong = {WHOLE: [problem for problems in wrong.values() for problem in problems]}
    for tab, names in zip(st.tabs(list(tabs)), tabs.values(), strict=True):
        with tab:
            for name in names:
                field: dict[str, Any] = {"label": _title(name), "value": parts[name], "help": ABOUT[name]}
                field |= {"key": f"{form}_{name}", **kept}
                if name in HEIGHTS:
                    st.text_area(**field, height=HEIGHTS[name])
                else:
                    st.text_input(**field)
                for problem in wrong.get(name, ()):
                    st.error(shown(problem), icon=":material/error:")
    _hold(written, by, source, off=bool(wrong) or (written == now.text and not unreadable))
    if wrong:
        count = sum(map(len, wrong.values()))
        st.caption(f"It cannot be used yet. {count}, in {', '.join(map(_title, wrong))}.")
    else:
        _preview(written, source, same=written == now.text)


def _title(part: str) -> str:
    return {REST: "The rest", WHOLE: "The whole file"}.get(part) or part.capitalize()


def _hold(written: str, by: str, source: str, *, off: bool) -> None:
    row = st.container(horizontal=True)
    row.button(
        "Use this topic and propose again",
        type="primary",
        disabled=off,
        on_click=_use,
        args=(written, by, source),
    )
    with row:
        file = File("Save as a file", "topic.yaml", "application/yaml", Right.TOPIC, lambda: written)
        offer([file], key="topic")


def _use(written: str, by: str, source: str) -> None:
    with keep_error("topic_error"):
        if use_topic(written, by=by, source=source):
            take_up()


def take_up() -> bool:
    """Forgets what was being written, and has the articles ranked by the new topic; whether there are any."""
    forget()
    has_articles = bool(look_up(db.curation.count_listed))
    if has_articles:
        start_job("propose", {})
    return has_articles


def _preview(written: str, source: str, *, same: bool) -> None:
    st.subheader("What would be ranked first")
    try:
        rows = preview(look_up(searched_topic, written, source))
    except SlowPattern as slow:
        st.error(shown(f"{slow}; write it simpler."), icon=":material/error:")
        return
    if not rows:
        st.info("Nothing to show until articles are proposed by the project's topic.", icon=":material/info:")
        return
    st.caption("Five random articles, labelled ones first, ranked by the topic and not by what verdicts taught.")
    articles = [_lists(row, same=same) for row in rows]
    st.html(render("topic_preview.html.j2", articles=articles, only="◆", key="★"))
    st.caption("★ labelled as a key sentence" if same else "◆ only in this list · ★ labelled as a key sentence")
    if any(row.query_is_new for row in rows):
        st.caption("A new query counts here as the present one. Its cosine is known after the next proposing.")


def _lists(row: Previewed, *, same: bool) -> dict[str, Any]:
    """An article with its list now, and with the change where there is one."""
    if same:
        return {"title": row.title, "note": "", "lists": [("now", row.now)]}
    return {"title": row.title, "note": _note(row), "lists": [("now", row.now), ("with the change", row.changed)]}


def _note(row: Previewed) -> str:
    keys = [sum(sentence.is_key for sentence in given) for given in (row.now, row.changed)]
    moved = sum(sentence.only_here for sentence in row.changed)
    found = f", key sentences {keys[0]} → {keys[1]}" if any(keys) else ""
    return f"{moved} of {len(row.changed)} others{found}" if moved else f"the same sentences{found}"
