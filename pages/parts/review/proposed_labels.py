"""The labels that are proposed for an article, each confirmed by a click, the likely ones together by a key."""

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotate.entities.links import link_of
from annotate.entities.proposed_labels import NoSuchProposal, Offered, confirm
from pages.parts.frame.text import shown

CONFIRM_KEY = "Alt+L"
_AUTHORITIES = (("CVCL_", "cell_line"), ("CL:", "cell_type"))


def offer_labels(
    header: DeltaGenerator,
    popover: DeltaGenerator,
    proposed: Sequence[Offered],
    sure: Sequence[int],
    on_confirm: Callable[[list[int]], None],
) -> None:
    """Draws a button that confirms the likely ones together, by a click or CONFIRM_KEY, and one for each proposal."""
    if sure:
        names = ", ".join(shown(one.name) for one in proposed if one.id in sure)
        header.button(
            f"Confirm: {names}",
            on_click=on_confirm,
            args=[list(sure)],
            icon=":material/new_label:",
            shortcut=CONFIRM_KEY,
            help="Proposed from the text, and no labels before you confirm them.",
        )
    if proposed:
        popover.caption("Proposed from the text: no labels, and not counted, before you confirm them.")
    for one in proposed:
        popover.button(
            proposal_text(one),
            key=f"confirm_{one.id}",
            help=proposal_help(one),
            on_click=on_confirm,
            args=[[one.id]],
            type="tertiary",
            icon=":material/add:",
        )


def confirm_labels(article_id: int, proposals: list[int]) -> bool:
    """Makes proposals labels; whether that went well. For callbacks: the reason why not is shown by the next run."""
    try:
        confirm(article_id, proposals)
    except (NoSuchProposal, ValueError) as error:
        st.session_state.label_error = str(error)
        return False
    return True


def proposal_text(proposal: Offered) -> str:
    """What the button says: the name, how likely it is where labels have borne that out, and where it stands."""
    places = ", ".join(str(position + 1) for position in proposal.sentences)
    where = f" · sentence{'s' if len(proposal.sentences) > 1 else ''} {places}" if places else " · title"
    likely = f" · {proposal.probability:.0%}" if proposal.calibrated else ""
    return f"{shown(proposal.noun)}: {shown(proposal.name)}{likely}{where}"


def proposal_help(proposal: Offered) -> str:
    """Its identifier, and where that is explained."""
    if not proposal.identifiers:
        return "Not a label before you confirm it."
    identifier = proposal.identifiers[0]
    kind = next((kind for beginning, kind in _AUTHORITIES if identifier.startswith(beginning)), "")
    kind = kind or ("gene" if proposal.kind == "gene" else "organism")
    return f"Not a label before you confirm it. {shown(identifier)} {link_of(kind, identifier)}".rstrip()
