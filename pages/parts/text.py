"""Texts of others on a page."""

import re

# Streamlit looks for links, icons, emoji and arrows in the text that is left once Markdown has been read, where no
# escape helps. A word joiner, which nobody sees, keeps it from finding them.
_JOINER = "\u2060"
_LOOKED_FOR = re.compile(r":(?=[\w+/-]+[:\[]|//)|www(?=\.)|@(?=\w)|[<>~-](?=[-=>])")


def shown(text: str) -> str:
    """Text from articles, files or people as Markdown that shows it literally."""
    text = _LOOKED_FOR.sub(lambda found: found[0] + _JOINER, text)
    for character in "\\`*_{}[]()#+-.!|<>~$:&":
        text = text.replace(character, "\\" + character)
    return text
