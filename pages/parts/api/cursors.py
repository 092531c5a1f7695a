"""Where the next page of a list begins: signed, so that only Keyline makes one."""

from typing import Any

from itsdangerous import BadSignature, URLSafeSerializer

from annotate.project.home import signing_secret


def cursor_of(of: str, *place: Any) -> str:
    """The cursor of this place in a list, which serves for that list alone."""
    return _serializer(of).dumps(place)


def place_of(of: str, cursor: str | None) -> list[Any]:
    """The place of a cursor; empty at the beginning. Raises ValueError for one of another list, or forged."""
    if not cursor:
        return []
    try:
        return list(_serializer(of).loads(cursor))
    except BadSignature:
        raise ValueError("this is no cursor of this list; begin without one") from None


def _serializer(of: str) -> URLSafeSerializer:
    return URLSafeSerializer(signing_secret(), salt=f"api {of}")
