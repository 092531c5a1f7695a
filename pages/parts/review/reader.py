"""The article reader: shows an article, paints each verdict at once and posts it until the server has stored it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from streamlit.delta_generator import DeltaGenerator

from annotate.review.article_view import end_tour
from pages.parts.frame.templates import render
from pages.parts.shared.scripts import OUTBOX, ROLE_COLOURS, component

_HERE = Path(__file__).parent

# Later styles win over earlier ones.
STYLES = ("reader.css", "article.css", "roles.css", "rail.css", "narrow.css")

# Each script stands after the ones that it imports; all of them after the outbox's.
SCRIPTS = (
    *("words.js", "elements.js", "text_spans.js"),  # tools
    *("answers.js", "proposals.js", "live_ranking.js", "ranking_on_screen.js"),  # the verdicts and the proposals
    *("article_pane.js", "roles.js", "article_head.js", "tour.js", "help.js"),  # the article, on the left
    *("spoken.js", "progress.js", "notices.js", "why.js", "comments.js", "sentence_labels.js"),  # the rail's panels
    *("card.js", "lists.js", "foot.js", "rail.js"),  # the rail
    *("judging.js", "moving.js", "leaving.js", "keys.js"),  # what the expert does
    *("reader.js", "mount.js"),
)


_FILES = [[_HERE / name for name in names] for names in (SCRIPTS, STYLES)]
_mount = component("article_reader", '<div class="reader"></div>', [*OUTBOX, *_FILES[0]], [ROLE_COLOURS, *_FILES[1]])


def article_heading(place: DeltaGenerator, article: Mapping[str, Any]) -> None:
    """Draws the article's title, and where it was published, at the beginning of a row."""
    source = " · ".join(filter(None, (article["journal"], str(article["year"] or ""), *article["ids"])))
    row = place.container(key="article_heading")
    row.html(render("article_heading.html.j2", title=article["title"], source=source))


def article_reader(
    reading: dict[str, Any], *, key: str, on_open: Callable[[], None], on_alike: Callable[[], None] = lambda: None
) -> Any:
    """Mounts the reader and returns its result, whose `open` is the article the expert asks for: an id, "next" or None.
    Its `alike` is the position of the sentence like which others are asked for.

    `reading` must not change a byte between reruns, or the whole article is sent again; put the article's id
    in `key`, so that another article is another mount. `on_open` and `on_alike` run before the script, as every
    callback, and find these in `st.session_state[key]`. Verdicts never come this way: they go to `reading["endpoint"]`.
    """
    return _mount(
        key=key,
        data=reading,
        on_open_change=on_open,
        on_alike_change=on_alike,
        on_toured_change=lambda: end_tour(reading["reviewer"]),
    )
