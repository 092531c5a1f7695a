"""Reads files of labels: JSON lines and tables, packed by gzip or not, with one set of limits and one of messages.

A row's fields are the parameters of the function that makes something of it: `def work(pmid: Key, year: Year = None)`.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, Field, ValidationError, validate_call

from annotate.project.files.packed_lines import MOST_BYTES, UnreadableFile, json_lines, text_lines

Made = TypeVar("Made")


def _whole(value: Any) -> Any:
    if isinstance(value, bool | float):
        raise ValueError("is no whole number")
    return value


def _stripped(value: Any) -> Any:
    """None for a blank text."""
    return (value.strip() or None) if isinstance(value, str) else value


def _id(value: Any) -> Any:
    """An id as text, whether it is written as text or as a number."""
    return str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else value


Key = Annotated[str, BeforeValidator(_id), Field(min_length=1)]
OptionalKey = Annotated[str | None, BeforeValidator(_id), BeforeValidator(_stripped)]
Keys = Annotated[frozenset[Key], Field(min_length=1)]
Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]  # null is an empty text
OptionalText = Annotated[str | None, BeforeValidator(_stripped)]  # None where it is blank
Texts = Annotated[tuple[str, ...], BeforeValidator(lambda value: () if value is None else value)]
WHOLE = BeforeValidator(_whole)  # true is not 1, nor is 1.0
Year = Annotated[int | None, WHOLE, BeforeValidator(_stripped)]
NOT_GIVEN: Any = None  # the default of a field that may be missing, where that is not the same as empty

# By the beginning of pydantic's names of errors.
_WORDS = {
    "missing": "has no {name}", "string_too_short": "{name} is empty", "too_short": "{name} is empty",
    "string": "{name} is no text", "int": "{name} is no whole number", "float": "{name} is no number",
    "bool": "{name} is neither true nor false", "tuple": "{name} is no list", "list": "{name} is no list",
    "frozen": "{name} is no list", "dict": "{name} is no object", "value": "{name} {error}",
    "literal": "{name} is {value}; it must be {expected}",
}  # fmt: skip


def labelled_rows(
    path: Path, made: Callable[..., Made], *, rows: str = "rows", key: Callable[[Made], str] | None = None
) -> list[Made]:
    """What `made` makes of each line's JSON object. `rows`: what they are called in messages.

    Raises UnreadableFile where there is none, where two have the same `key`, and as `numbered_rows` does.
    """
    found, lines = [], dict[str, int]()
    for number, row in numbered_rows(path, made):
        if key and (first := lines.setdefault(key(row), number)) != number:
            raise UnreadableFile(f"{path.name}, line {number}: the id {key(row)} stands in line {first} already")
        found.append(row)
    if not found:
        raise UnreadableFile(f"{path.name} holds no {rows}")
    return found


def numbered_rows(path: Path, made: Callable[..., Made]) -> Iterator[tuple[int, Made]]:
    """(line, what `made` makes of the fields that its parameters name), one by one; other fields are passed over.

    Raises UnreadableFile, which names the file, the line and the reason: a field is missing or of another type, or
    `made` raises ValueError, KeyError or TypeError.
    """
    names = fields_of(made)
    takes_all = any(each.kind is Parameter.VAR_KEYWORD for each in signature(made).parameters.values())
    checked = validate_call(made)

    def parse(row: Mapping[str, Any]) -> Made:
        try:
            return checked(**{name: value for name, value in row.items() if takes_all or name in names})
        except ValidationError as error:
            raise ValueError(_in_words(error)) from None

    return json_lines(path, parse)


def fields_of(made: Callable[..., Any]) -> set[str]:
    """The names of the fields that `made` takes."""
    return set(signature(made).parameters)


def _in_words(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    name, *inner = first["loc"]
    words = next((own for kind, own in _WORDS.items() if first["type"].startswith(kind)), "{name}: " + first["msg"])
    details = {"expected": "", "error": "", **first.get("ctx", {})}
    value = json.dumps(first["input"], default=str)[:50]
    return words.format(name=f"{name}[{inner[0]}]" if inner else name, value=value, **details)


def columns_of(path: Path, least: int, *, most_bytes: int = MOST_BYTES) -> Iterator[tuple[int, list[str]]]:
    """(line, columns) of a table: apart by tabs where there are any in the line, else by blanks.

    Raises UnreadableFile where a line has fewer than `least` columns.
    """
    for number, line in text_lines(path, most_bytes=most_bytes):
        if line.strip():
            row = [each.strip() for each in line.split("\t")] if "\t" in line else line.split()
            if len(row) < least:
                raise UnreadableFile(f"{path.name}, line {number}: {len(row)} columns; there must be {least} at least")
            yield number, row
