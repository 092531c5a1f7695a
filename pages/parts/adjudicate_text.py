"""The text around a disputed sentence, what was said of it, and the whole article: all of it escaped."""

from collections.abc import Collection, Sequence
from html import escape

import streamlit as st

import db.agreement
import db.articles
from annotate.adjudication import Case, Said
from annotate.home import read
from db.tables import ADJUDICATOR
from pages.parts.times import local_time

VERDICTS = {"accept": "Key", "reject": "Not key", "unsure": "Unsure", "withdrawn": "withdrawn"}
# So much of the paragraph is shown before and after the sentence that it is on the screen without scrolling.
BEFORE, AFTER = 450, 700
_AROUND = "opacity:.72"
# Orange of the palette of the charts, thin enough for black and for white text; the bar does not need the colour.
_HERE = "background:#E69F0038;border-left:4px solid #E69F00;padding:.1em .4em;color:inherit"
_SMALL = "opacity:.72;font-size:.85em"


def sentence_in_context(case: Case) -> None:
    """The section's title and the paragraph with the sentence marked, cut where it is long."""
    before, text, after = (
        case.paragraph[: case.start],
        case.paragraph[case.start : case.end],
        case.paragraph[case.end :],
    )
    if len(before) > BEFORE:
        before = "… " + before[-BEFORE:].partition(" ")[2]
    if len(after) > AFTER:
        after = after[:AFTER].rpartition(" ")[0] + " …"
    st.html(
        f"<p style='{_SMALL};margin:0 0 .5em'>{escape(case.section or 'no section')}</p>"
        f"<p style='margin:0;line-height:1.65'><span style='{_AROUND}'>{escape(before)}</span>"
        f"<mark style='{_HERE}'>{escape(text)}</mark><span style='{_AROUND}'>{escape(after)}</span></p>"
    )


def who(said: Said, *, names: bool) -> str:
    """An annotator by name or by letter."""
    return said.name if names else said.letter


def opinions(case: Case, *, names: bool) -> None:
    """What each annotator says, when, what was on the screen, and the comment."""
    parts = []
    for said in case.said:
        shown = [f"rank {said.rank}"] if said.rank is not None else []
        shown += [f"cosine {said.cosine:.2f}"] if said.cosine is not None else []
        told = [local_time(said.at)] if said.at else ["read the article in full and left it unjudged"]
        comment = f"<p style='margin:.3em 0 0'>“{escape(said.comment)}”</p>" if said.comment else ""
        parts.append(
            "<div style='margin:0 0 .9em;padding-left:.7em;border-left:3px solid "
            f"{'#0072B2' if said.value == 'accept' else '#7F7F7F'}'>"
            f"<p style='margin:0'>{escape(who(said, names=names))}: <b>{VERDICTS[said.value]}</b></p>"
            f"<p style='margin:0;{_SMALL}'>{escape(' · '.join(told + shown))}</p>{comment}</div>"
        )
    st.html("".join(parts))


def decided(case: Case) -> str:
    """What was decided so far, in plain words; not escaped."""
    if case.decision is None:
        return "Not decided yet."
    found = case.decision
    again = " An annotator has contradicted it since." if case.is_open else ""
    comment = f" “{found.comment}”" if found.comment else ""
    return f"Decided: {VERDICTS[found.value]}, by {found.name}, {local_time(found.at)}.{comment}{again}"


def history(case: Case, *, names: bool) -> None:
    """Everything that was ever said about the sentence, oldest first."""
    letters = {said.name: who(said, names=names) for said in case.said}
    with read() as session:
        rows = db.agreement.sentence_history(session, case.article_id, case.sentence_id)
    lines = []
    for verdict, name in rows:
        of_curator = verdict.role == ADJUDICATOR
        person = f"{name} (decision)" if of_curator else letters.get(name, name if names else "another annotator")
        lines.append(f"{local_time(verdict.stored_at)} · {person}: {VERDICTS[verdict.value]}")
    st.html("".join(f"<p style='margin:0 0 .3em'>{escape(line)}</p>" for line in lines))


def all_cases(cases: Sequence[Case], *, names: bool) -> None:
    """The disputed and decided sentences of the article as a table."""
    people = sorted({who(said, names=names) for case in cases for said in case.said}, key=str.lower)
    with st.expander(f"All {len(cases):,} disputed sentences of this article" if len(cases) > 1 else "As a table"):
        rows = []
        for number, case in enumerate(cases, start=1):
            said = {who(one, names=names): VERDICTS[one.value] for one in case.said}
            decision = VERDICTS[case.decision.value] if case.decision else ""
            row = {"": number, "decision": f"{decision} (contradicted)" if decision and case.is_open else decision}
            rows.append(row | {f"by {name}": said.get(name, "") for name in people} | {"sentence": _text(case)})
        st.dataframe(
            rows,
            hide_index=True,
            width="stretch",
            column_config={"": st.column_config.NumberColumn(width=40), "sentence": {"width": "large"}},
        )


def _text(case: Case) -> str:
    return case.paragraph[case.start : case.end]


def whole_article(article_id: int, marked: Collection[int]) -> None:
    """The article's text with its sections, the sentences with these ids marked."""
    with read() as session:
        sections = {section.id: section for section in db.articles.sections(session, article_id)}
        paragraphs = db.articles.paragraphs(session, article_id)
        spans: dict[int, list[tuple[int, int]]] = {}
        for sentence in db.articles.sentences(session, [article_id]):
            if sentence.id in marked:
                spans.setdefault(sentence.paragraph_id, []).append((sentence.start, sentence.end))
    parts, at = [], None
    for paragraph in paragraphs:
        if paragraph.section_id != at:
            at = paragraph.section_id
            parts.append(f"<h4 style='margin:1em 0 .3em'>{escape(sections[at].title)}</h4>")
        parts.append(f"<p style='margin:0 0 .7em'>{_marked(paragraph.text, spans.get(paragraph.id, []))}</p>")
    with st.container(height=520, key="adjudicate_text"):
        st.html("".join(parts))


def _marked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    done, parts = 0, []
    for start, end in sorted(spans):
        parts += [escape(text[done:start]), f"<mark style='{_HERE}'>{escape(text[start:end])}</mark>"]
        done = end
    return "".join([*parts, escape(text[done:])])
