"""Scripts that are written as modules, joined into the one that Streamlit takes for a component."""

import re
from collections.abc import Sequence
from pathlib import Path

# From the click to the server's disk: what every component needs that stores what people say. Each stands after those
# that it imports.
OUTBOX = tuple(Path(__file__).parent / name for name in ("storage.js", "posting.js", "outbox.js"))
# Which keys are meant for a component that listens to the whole page.
OWN_KEYS = Path(__file__).parent / "own_keys.js"

# Between the scripts only; the one export that stays is the function that Streamlit calls.
_IMPORT = re.compile(r'^import \{[^}]+\} from "[./\w]+\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default )", re.MULTILINE)


def joined(paths: Sequence[Path]) -> str:
    """The scripts as one module, since Streamlit takes no module that imports others."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    return _EXPORT.sub("", _IMPORT.sub("", text))
