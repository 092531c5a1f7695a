"""Which engine a job is to use: named in its payload, by default this process."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from annotate.engines.engine import HERE, Engine, NoEngine

LOCAL, RAY = "local", "ray"
NOT_INSTALLED = "Ray is not installed here: python -m pip install -r requirements-ray.txt"


def asked_engine(name: str, address: str = "") -> dict[str, Any]:
    """What a payload says of this engine: nothing of the one that is there always.

    Raises ValueError for an unknown name or an address that no engine takes, NoEngine for one that is not installed.
    """
    if name not in ENGINES:
        raise ValueError(f"there is no engine {name!r}; there are {', '.join(ENGINES)}")
    if name == LOCAL:
        if address:
            raise ValueError(f"an address is for a cluster: --engine {RAY} --address {address}")
        return {}
    if find_spec(RAY) is None:
        raise NoEngine(NOT_INSTALLED)
    return {"engine": {"name": name, "address": address}}


def kept_engine(payload: Mapping[str, Any]) -> dict[str, Any]:
    """What the payload of a job that follows says of the engine: the same as this one."""
    return {"engine": payload["engine"]} if payload.get("engine") else {}


def engine_of(payload: Mapping[str, Any]) -> AbstractContextManager[Engine]:
    """The engine that a payload asks for, as long as the block lasts. Raises as `asked_engine`, and NoEngine."""
    asked = payload.get("engine") or {"name": LOCAL}
    asked_engine(**asked)
    return ENGINES[asked["name"]](asked.get("address", ""))


@contextmanager
def _ray(address: str) -> Iterator[Engine]:
    _send_token()
    from annotate.engines.on_ray import OnRay  # noqa: PLC0415 (an optional package, which takes seconds to import)

    engine = OnRay(address)
    try:
        yield engine
    finally:
        engine.close()


def _send_token() -> None:
    """Lets Ray send its token, which `ray start` asks for wherever there is one: told so before it is imported."""
    if "RAY_AUTH_TOKEN" in os.environ or (Path.home() / ".ray" / "auth_token").exists():
        os.environ.setdefault("RAY_AUTH_MODE", "token")


ENGINES: dict[str, Callable[[str], AbstractContextManager[Engine]]] = {
    LOCAL: lambda address: nullcontext(HERE),
    RAY: _ray,
}
