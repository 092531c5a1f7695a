"""What an optional part of Keyline adds to the core."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotate.engines.chosen import kept_engine
from annotate.jobs.lifecycle import start_after_other_work
from annotate.jobs.monitor import Handler, Monitor
from db.tables import ModelVersion

Payload = dict[str, Any]
Step = Callable[[ModelVersion, Monitor], None]


def after_other_work(kind: str) -> Callable[[Payload], None]:
    """The step that begins a job of this kind, where the import asks to recognise what the new articles hold."""

    def begin(payload: Payload) -> None:
        if payload.get("recognise"):
            start_after_other_work(kind, kept_engine(payload))

    return begin


@dataclass(frozen=True, slots=True)
class Capability:
    """An optional part. `jobs`: what it does for each kind of job that it brings.

    `needs`: the parts without which it cannot be on.

    `rewritings`: ways to write sentences otherwise that should mean the same, by which encoders are probed.

    The other fields are steps that the core takes if the part is on. `once_stored` and `after_import` get the payload
    of the import, `after_proposing` the proposing version, `after_training` the name of the new version.
    """

    jobs: Mapping[str, Handler] = field(default_factory=dict)
    needs: Sequence[str] = ()
    rewritings: Mapping[str, Callable[[Sequence[str]], Iterable[str]]] = field(default_factory=dict)
    once_stored: Sequence[Callable[[Payload], None]] = ()
    after_import: Sequence[Callable[[Payload], None]] = ()
    after_proposing: Sequence[Step] = ()
    after_training: Sequence[Callable[[str], None]] = ()
