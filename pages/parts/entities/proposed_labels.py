"""The labels that are proposed for an article, each confirmed by a click, the likely ones together by a key."""

from collections.abc import Callable

from streamlit.delta_generator import DeltaGenerator

from annotate.articles.document_labels import labels_of
from annotate.entities.proposed_labels import NoSuchProposal, Offered, confirm, offered, sure_ones
from annotate.project.home import read
from annotate.topics.vocabularies import link_of
from pages.parts.frame.messages import keep_error
from pages.parts.frame.text import shown

CONFIRM_KEY = "Alt+L"
_AUTHORITIES = (("CVCL_", "cell_line"), ("CL:", "cell_type"))


def offer_labels(header: DeltaGenerator, popover: DeltaGenerator, article_id: int, changed: Callable[[], None]) -> None:
    """Draws a button that confirms the likely ones together, by a click or CONFIRM_KEY, and one for each proposal.

    Does `changed` once labels were confirmed.
    """
    with read() as session:
        proposed = offered(session, article_id)
        sure = sure_ones(proposed, labels_of(session, [article_id])[article_id])
    if sure:
        names = ", ".join(shown(one.name) for one in proposed if one.id in sure)
        header.button(
            f"Confirm: {names}",
            on_click=_confirm,
            args=[article_id, sure, changed],
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


def proposal_text(proposal: Offered) -> str:
    """What the button says: the name, how likely it is where labels have borne that out, and where it stands."""
    places = ", ".join(str(position + 1) for position in proposal.sentences)
    where = f" · sentence{'s' if len(proposal.sentences) > 1 else ''} {places}" if places else " · title"
    likely = f" · {proposal.probability:.0%}" if proposal.calibrated else ""
    return f"{shown(proposal.noun)}: {shown(proposal.name)}{likely}{where}"


def proposal_help(proposal: Offered) -> str:
    """The help of a proposed label: its identifier, and where that is explained."""
    if not proposal.identifiers:
        return "Not a label before you confirm it."
    identifier = proposal.identifiers[0]
    kind = next((kind for beginning, kind in _AUTHORITIES if identifier.startswith(beginning)), "")
    kind = kind or ("gene" if proposal.kind == "gene" else "organism")
    return f"Not a label before you confirm it. {shown(identifier)} {link_of(kind, identifier)}".rstrip()
