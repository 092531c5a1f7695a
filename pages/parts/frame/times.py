"""Times of rows as people read them."""

from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st


def local_time(stored: str) -> str:
    """A stored time by the clock on the reader's wall: 14:05, with the day where that is not today."""
    moment = datetime.fromisoformat(stored).astimezone(local_zone())
    today = moment.date() == datetime.now(moment.tzinfo).date()
    return f"{moment:%H:%M}" if today else f"{moment:%Y-%m-%d %H:%M}"


def local_zone() -> tzinfo | None:
    """The browser's time zone; the machine's own where it names none that is known here."""
    try:
        return ZoneInfo(st.context.timezone) if st.context.timezone else None
    except (ZoneInfoNotFoundError, ValueError):
        return None
