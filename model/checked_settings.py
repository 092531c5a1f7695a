"""Settings that are checked when they are made; every refusal names the value and the allowed ones."""

from collections.abc import Callable
from dataclasses import asdict, fields
from enum import StrEnum
from functools import wraps
from types import NoneType
from typing import Annotated, Any, TypeVar, dataclass_transform, get_args

from annotated_types import Ge, Le
from pydantic import ConfigDict, Field, Strict, ValidationError
from pydantic.dataclasses import dataclass

_Kind = TypeVar("_Kind")
_Set = TypeVar("_Set", bound=StrEnum)
# A member of a closed set, also given by its text, as people, payloads and stored rows have it.
ByText = Annotated[_Set, Strict(False)]


class NotAllowed(ValueError):
    """A value that its setting does not take. The message is on the first one, `names` lists all."""

    def __init__(self, message: str, names: frozenset[str]) -> None:
        super().__init__(message)
        self.names = names


@dataclass_transform(frozen_default=True, field_specifiers=(Field,))
def checked(kind: type[_Kind]) -> type[_Kind]:
    """Makes a class of annotated names a frozen dataclass that takes nothing but what its fields allow.

    Bounds are written `Field(default=..., ge=least, le=most)`, closed sets `ByText[Kind]`, and any other rule is a
    `field_validator`, as pydantic has them. A text is no number, and 1 is not true. Making one raises NotAllowed.
    """
    made: Any = dataclass(frozen=True, slots=True, config=ConfigDict(strict=True, extra="forbid"))(kind)
    make: Callable[..., None] = made.__init__

    @wraps(make)
    def make_or_refuse(self: Any, *values: Any, **named: Any) -> None:
        try:
            make(self, *values, **named)
        except ValidationError as error:
            names = frozenset(str(each["loc"][0]) for each in error.errors() if each["loc"])
            raise NotAllowed(_in_words(made, error), names) from None

    made.__init__ = make_or_refuse  # pydantic's own words are for programmers
    return made  # type: ignore[no-any-return]  # (its type is `kind`'s)


def _in_words(kind: type[Any], error: ValidationError) -> str:
    first = error.errors()[0]
    name, value = str(first["loc"][0]), first["input"]
    if first["type"] == "value_error":  # said by a validator of the class itself
        return str(first["ctx"]["error"])
    if first["type"] in ("missing", "string_too_short"):
        return f"there is no {name}"
    if name not in names_of(kind):
        return f"there is no setting {name}; there are {', '.join(names_of(kind))}"
    if name in closed_sets(kind):
        return f"{name} {value!r} is none of {', '.join(closed_sets(kind)[name])}"
    return f"{name} is {value!r}; it must be {_allowed(kind, name)}"


def _allowed(kind: type[Any], name: str) -> str:
    if name in bounds(kind):
        least, most = bounds(kind)[name]
        whole = isinstance(least, int)
        return f"a whole number from {least} to {most}" if whole else f"a number from {least:g} to {most:g}"
    return "true or false" if _plain_type(kind, name) is bool else "a text"


def _plain_type(kind: type[Any], name: str) -> type[Any]:
    """int of `int | None`, for instance, and Kind of `ByText[Kind] | None`."""
    annotation: Any = kind.__pydantic_fields__[name].annotation
    plain = next((each for each in get_args(annotation) if each is not NoneType), annotation)
    found: type[Any] = getattr(plain, "__origin__", plain)
    return found


def names_of(kind: type[Any]) -> tuple[str, ...]:
    """The names of a checked class's fields, in their order."""
    return tuple(field.name for field in fields(kind))


def bounds(kind: type[Any]) -> dict[str, tuple[float, float]]:
    """{name: (least, most)} of every number of a checked class; both are whole where the number is."""
    found = {}
    for name, field in kind.__pydantic_fields__.items():
        least = [each.ge for each in field.metadata if isinstance(each, Ge)]
        most = [each.le for each in field.metadata if isinstance(each, Le)]
        if least and most:
            of = _plain_type(kind, name)
            found[name] = of(least[0]), of(most[0])
    return found


def closed_sets(kind: type[Any]) -> dict[str, type[StrEnum]]:
    """{name: its closed set} of every field of a checked class that has one."""
    types: dict[str, Any] = {name: _plain_type(kind, name) for name in kind.__pydantic_fields__}
    return {name: each for name, each in types.items() if isinstance(each, type) and issubclass(each, StrEnum)}


def as_json(settings: Any) -> dict[str, Any]:
    """The values of a checked class by name, as payloads and stored rows have them."""
    return {name: str(value) if isinstance(value, StrEnum) else value for name, value in asdict(settings).items()}
