"""The text around a disputed sentence, the verdicts on it, and the whole article: all of it escaped."""

from collections.abc import Collection, Sequence

import streamlit as st

import db.articles
import db.review.verdicts
from annotate.project.home import read
from annotate.team.adjudication import Case, Judgement
from db.values import Value, VerdictRole
from pages.parts.frame.templates import render
from pages.parts.frame.text import local_time
from pages.parts.shared.tables import text_table

VERDICTS: dict[str, str] = {
    Value.ACCEPT: "Key",
    Value.REJECT: "Not key",
    Value.UNSURE: "Unsure",
    Value.WITHDRAWN: "withdrawn",
}
# So much of the paragraph is shown before and after the sentence that it is on the screen without scrolling.
BEFORE, AFTER = 450, 700


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
    st.html(render("adjudicate_sentence.html.j2", section=case.section, before=before, text=text, after=after))


def who(opinion: Judgement, *, names: bool) -> str:
    """An annotator by name or by letter."""
    return opinion.name if names else opinion.letter


def opinions(case: Case, *, names: bool) -> None:
    """Each annotator's verdict, its time, the rank on the screen, and the comment."""
    rows = [
        {
            "who": who(opinion, names=names),
            "key": opinion.value == "accept",
            "verdict": VERDICTS[opinion.value],
            "circumstances": _circumstances(opinion),
            "comment": opinion.comment,
        }
        for opinion in case.judgements
    ]
    st.html(render("adjudicate_opinions.html.j2", opinions=rows))


def _circumstances(opinion: Judgement) -> list[str]:
    """When a verdict was given, its rank on the screen, and whether the others' verdicts were known by then."""
    circumstances = [local_time(opinion.at) if opinion.at else "read the article in full and left it unjudged"]
    circumstances += [f"rank {opinion.rank}"] if opinion.rank is not None else []
    return circumstances + (["not blind: the others' verdicts were shown"] if opinion.late else [])


def in_words(case: Case, *, names: bool) -> str:
    """The sentence, each annotator's verdict and the decision, for people who hear the page."""
    verdicts = "; ".join(f"{who(one, names=names)}: {VERDICTS[one.value]}" for one in case.judgements)
    return f"{_text(case)} {verdicts}. {decided(case)}"


def decided(case: Case) -> str:
    """The decision so far, in plain words; not escaped."""
    if case.decision is None:
        return "Not decided yet."
    found = case.decision
    again = " Disputed again since then." if case.is_open else ""
    comment = f" “{found.comment}”" if found.comment else ""
    return f"Decided: {VERDICTS[found.value]}, by {found.name}, {local_time(found.at)}.{comment}{again}"


def history(case: Case, *, names: bool) -> None:
    """Everything that was ever said about the sentence, oldest first."""
    letters = {opinion.name: who(opinion, names=names) for opinion in case.judgements}
    with read() as session:
        rows = db.review.verdicts.all_verdicts(session, article_id=case.article_id, sentence_id=case.sentence_id)
    lines = []
    for verdict, name, _ in rows:
        of_curator = verdict.role == VerdictRole.ADJUDICATOR
        person = f"{name} (decision)" if of_curator else letters.get(name, name if names else "another annotator")
        lines.append(f"{local_time(verdict.stored_at)} · {person}: {VERDICTS[verdict.value]}")
    st.html(render("adjudicate_history.html.j2", lines=lines))


def all_cases(cases: Sequence[Case], *, names: bool) -> None:
    """The disputed and decided sentences of the article as a table."""
    people = sorted({who(opinion, names=names) for case in cases for opinion in case.judgements}, key=str.lower)
    with st.expander(f"All {len(cases):,} disputed sentences of this article" if len(cases) > 1 else "As a table"):
        rows = []
        for number, case in enumerate(cases, start=1):
            verdicts = {who(one, names=names): VERDICTS[one.value] for one in case.judgements}
            decision = VERDICTS[case.decision.value] if case.decision else ""
            row = {"no.": number, "decision": f"{decision} (contradicted)" if decision and case.is_open else decision}
            rows.append(row | {f"by {name}": verdicts.get(name, "") for name in people} | {"sentence": _text(case)})
        text_table(rows, "Disputed sentences")


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
    blocks: list[tuple[str | None, list[tuple[str, bool]]]] = []
    at = None
    for paragraph in paragraphs:
        heading = sections[paragraph.section_id].title if paragraph.section_id != at else None
        blocks.append((heading, _pieces(paragraph.text, spans.get(paragraph.id, []))))
        at = paragraph.section_id
    with st.container(height=520, key="adjudicate_text"):
        st.html(render("adjudicate_article.html.j2", paragraphs=blocks))


def _pieces(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[str, bool]]:
    """The text cut where a marked span begins or ends: (piece, whether it is marked)."""
    done, pieces = 0, []
    for start, end in sorted(spans):
        pieces += [(text[done:start], False), (text[start:end], True)]
        done = end
    return [*pieces, (text[done:], False)]
