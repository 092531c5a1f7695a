"""Texts of others on a page."""


def shown(text: str) -> str:
    """Text from articles, files or people as Markdown that shows it literally."""
    for character in "\\`*_{}[]()#+-.!|<>~$:&":
        text = text.replace(character, "\\" + character)
    return text
