"""What pages need done once for all tests of a process, instead of at every run of a page by a test."""

from functools import cache
from pathlib import Path
from typing import Any

from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache

COMPILED: dict[tuple[str, int, int], Any] = {}


def scan_once() -> None:
    """From now on Streamlit finds what other packages bring for pages where it looked the first time.

    It reads what all packages say of themselves, a quarter of a second, four fifths of the work of a page's run.
    """
    if not hasattr(manifest_scanner.scan_component_manifests, "cache_clear"):
        manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
    manifest_scanner.scan_component_manifests()


def compile_scripts_once() -> None:
    """From now on all tests share the compiled scripts of pages, a fifth of the work of a page's run.

    An app keeps them for all who open it; each AppTest is an app of its own.
    """
    ScriptCache.get_bytecode = _bytecode  # type: ignore[method-assign]


_compile = ScriptCache.get_bytecode


def _bytecode(cache: ScriptCache, script_path: str) -> Any:
    seen = Path(script_path).stat()
    key = (script_path, seen.st_mtime_ns, seen.st_size)
    if key not in COMPILED:
        COMPILED[key] = _compile(cache, script_path)
    return COMPILED[key]
