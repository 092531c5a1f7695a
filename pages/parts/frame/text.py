"""Texts of others on a page."""

import re

# Streamlit looks for links, icons, emoji and arrows in the text that is left once Markdown has been read, where no
# escape helps. An empty span parts the text there: what is read, searched and copied from the page stays the same.
_EMPTY_SPAN = ":color[]{}"
_WITHIN_SIGNS = re.compile(
    r"(?<=:)(?=[\w+/-]+[:\[]|//)|(?<=www)(?=\.)|(?<=@)(?=\w)|(?<=[<>~-])(?=[-=>])", re.IGNORECASE
)
_MARKUP = re.compile(r"[\\`*_{}\[\]()#+\-.!|<>~$:&]")


def shown(text: str) -> str:
    """Text from articles, files or people as Markdown that shows it literally."""
    return _EMPTY_SPAN.join(_MARKUP.sub(r"\\\g<0>", part) for part in _WITHIN_SIGNS.split(text))
