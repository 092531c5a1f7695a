"""Texts of others, and times of rows, as people read them on a page."""

import re
from contextlib import suppress
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

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


def local_time(stored: str) -> str:
    """A stored time by the clock on the reader's wall: 14:05, with the day where that is not today."""
    moment = datetime.fromisoformat(stored)
    with suppress(OverflowError):  # the first and the last day that there are: a program that told no time
        moment = moment.astimezone(local_zone())
    today = moment.date() == datetime.now(moment.tzinfo).date()
    return f"{moment:%H:%M}" if today else f"{moment:%Y-%m-%d %H:%M}"


def local_zone() -> tzinfo | None:
    """The browser's time zone; the machine's own where it names none that is known here."""
    try:
        return ZoneInfo(st.context.timezone) if st.context.timezone else None
    except (ZoneInfoNotFoundError, ValueError):
        return None
