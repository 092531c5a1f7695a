"""Numbers of things as people write them."""


def count_of(number: int, thing: str, things: str = "") -> str:
    """As in 1 article and 2,000 articles; `things` where the plural is not made by an s."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"
