"""The labels that are proposed for an article, each confirmed by a click, the likely ones together by a key."""

from collections.abc import Callable
from textwrap import shorten

from streamlit.delta_generator import DeltaGenerator

import db.articles
from annotate.articles.document_labels import labels_of
from annotate.entities.proposed_labels import NoSuchProposal, Offered, confirm, offered, sure_ones
from annotate.project.home import read
from annotate.project.words import count_of
from annotate.topics.vocabularies import link_of
from pages.parts.frame.messages import keep_error
from pages.parts.frame.text import shown

CONFIRM_KEY = "Alt+L"
BEGINNING = 60  # characters of the first sentence
_AUTHORITIES = (("CVCL_", "cell_line"), ("CL:", "cell_type"))


def offer_labels(header: DeltaGenerator, popover: DeltaGenerator, article_id: int, changed: Callable[[], None]) -> None:
    """Draws a button that confirms the likely ones together, by a click or CONFIRM_KEY, and one for each proposal.

    Does `changed` once labels were confirmed.
    """
    with read() as session:
        proposed = offered(session, article_id)
        sure = sure_ones(proposed, labels_of(session, [article_id])[article_id])
        places = {(article_id, one.sentences[0]) for one in proposed if one.sentences}
        texts = {place: found.text for place, found in db.articles.sentences_at(session, places).items()}
    if sure:
        names = ", ".join(f"{_noun(one)}: {shown(one.name)}" for one in proposed if one.id in sure)
        header.button(
            f"Confirm {count_of(len(sure), 'label')}",
            key="confirm_likely",
            on_click=_confirm,
            args=[article_id, sure, changed],
            icon=":material/new_label:",
            shortcut=CONFIRM_KEY,
            help=f"{names}. Proposed from the text, and no labels before you confirm them.",
        )
    if proposed:
        popover.caption("Proposed from the text: no labels, and not counted, before you confirm them.")
    for one in proposed:
        popover.button(
            proposal_text(one, texts.get((article_id, one.sentences[0]), "") if one.sentences else ""),
            key=f"confirm_{one.id}",
            help=proposal_help(one),
            on_click=_confirm,
            args=[article_id, [one.id], changed],
            type="tertiary",
            icon=":material/add:",
        )


def _confirm(article_id: int, proposals: list[int], changed: Callable[[], None]) -> None:
    """Makes proposals labels. If that fails, the next run of the page shows the reason."""
    with keep_error("label_error", errors=(NoSuchProposal, ValueError)):
        confirm(article_id, proposals)
        changed()


def proposal_text(proposal: Offered, sentence: str = "") -> str:
    """What the button says: the name, how likely it is where labels have borne that out, and how the first sentence
    with it begins; without one it stands in the title."""
    where = f" · “{shown(shorten(sentence, BEGINNING, placeholder=' …'))}”" if sentence else " · in the title"
    likely = f" · {proposal.probability:.0%} likely" if proposal.calibrated else ""
    return f"{_noun(proposal)}: {shown(proposal.name)}{likely}{where}"


def proposal_help(proposal: Offered) -> str:
    """The help of a proposed label: its identifier, and where that is explained."""
    if not proposal.identifiers:
        return "Not a label before you confirm it."
    identifier = proposal.identifiers[0]
    return f"Not a label before you confirm it. {shown(identifier)} {link_of(_kind(proposal), identifier)}".rstrip()


def _kind(proposal: Offered) -> str:
    """Of what vocabulary it is, by its identifier."""
    identifier = next(iter(proposal.identifiers), "")
    other = "organism" if proposal.kind == "cell" and identifier else proposal.kind
    return next((kind for beginning, kind in _AUTHORITIES if identifier.startswith(beginning)), other)


def _noun(proposal: Offered) -> str:
    """What it is called: as the topic calls its kind, but for an organism among cells."""
    return "Organism" if _kind(proposal) == "organism" else shown(proposal.noun)
