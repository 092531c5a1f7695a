"""Training settings as people write them, on the command line and in spec files, and as jobs take them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from model.checked_settings import as_json, names_of
from model.training.settings import BOUNDS, TrainingSettings

NO_QUERIES: Mapping[str, str] = MappingProxyType({})
# Each article's own query, where the settings have None.
ARTICLE_QUERY = "article"
# Every negative there is, and the length that the encoder came with, where the settings have None.
ALL_NEGATIVES, OWN_LENGTH = "all", "own"
WRITTEN_NONE = {"query": ARTICLE_QUERY, "negatives_per_key": ALL_NEGATIVES, "max_tokens": OWN_LENGTH}
SETTING_NAMES = names_of(TrainingSettings)
# Settings of earlier releases, with the value that changed nothing: a job that was queued before an upgrade has them.
RETIRED: Mapping[str, Any] = MappingProxyType(
    {"gpus": 1, "lora_rank": 0, "hard_renewals": 1, "anchor": 0.0, "negatives": "unlabelled"}
)
WHOLE_NUMBERS = frozenset(name for name, (least, _) in BOUNDS.items() if isinstance(least, int))


def setting_of(name: str, written: Any) -> Any:
    """The value of a setting from what was written: "query 2", "article", "5e-5" as a text, "all" negatives, "own".

    The name of one of the topic's queries stays a name: which text that is is settled where training begins. Bounds and
    allowed values are checked by TrainingSettings. Raises ValueError where a number is none.
    """
    if name in WRITTEN_NONE and written == WRITTEN_NONE[name]:
        return None
    if name in BOUNDS and isinstance(written, str):  # YAML reads 5e-5 as a text
        try:
            return int(written) if name in WHOLE_NUMBERS else float(written)
        except ValueError:
            raise ValueError(f"{name} is {written!r}; it must be a number") from None
    return written


def written_query(query: str | None, queries: Mapping[str, str] = NO_QUERIES) -> str:
    """A query by its short name: article, the name that a topic's `queries` have for it, or as it is."""
    if query is None:
        return ARTICLE_QUERY
    return next((name for name, text in queries.items() if text == query), query)


def settings_of(payload: Mapping[str, Any]) -> TrainingSettings:
    """The settings of a train job. Retired ones are dropped where they changed nothing; else ValueError names them."""
    given = dict(payload.get("settings", {}))
    for name, without_effect in RETIRED.items():
        if (value := given.pop(name, without_effect)) != without_effect:
            raise ValueError(f"{name} is {value}; this release has no such setting, train with {name} left out")
    return TrainingSettings(**given)


def payload_of(settings: TrainingSettings, parent: str | None = None) -> dict[str, Any]:
    """The payload of a train job."""
    return {"parent": parent, "settings": as_json(settings)}
