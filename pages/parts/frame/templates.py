"""HTML that the product writes itself: templates (*.html.j2) next to their parts, filled in with every text escaped."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

PARTS = next(folder for folder in Path(__file__).parents if folder.name == "parts")
# The sizes of type and the steps of space: every style of a page, a file or a figure begins with them.
SCALE = (Path(__file__).parent / "scale.css").read_text(encoding="utf-8")
# A template is found by the name of its file: a part and its templates can move without a change here.
TEMPLATES = {path.name: path for path in sorted(PARTS.rglob("*.html.j2"))}
# Escaping is never left to the author of a template, and a value that was forgotten is an error, not an empty place.
ENVIRONMENT = Environment(
    loader=FileSystemLoader(sorted({path.parent for path in TEMPLATES.values()})),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def render(template: str, /, **values: Any) -> Markup:
    """The template with these values: HTML that stays as it is where it becomes a value of another template.

    All other text is escaped. Raises jinja2.UndefinedError where the template needs a value that is not given.
    """
    return Markup(ENVIRONMENT.get_template(template).render(values))
