"""The house: one scale of type and one step of space, for all that the pages draw."""

import re

import pytest

from pages.parts.frame.templates import SCALE
from pages.parts.shared.drawing import FONT
from tests.support.paths import ROOT

STYLES = [
    path
    for path in sorted((ROOT / "pages").rglob("*"))
    if path.suffix in (".css", ".j2", ".html", ".js") and path.name != "scale.css"
]
OF_THE_SCALE = re.compile(r"(?<![\w-])(?:font(?:-size)?|padding[\w-]*|margin[\w-]*|(?:row-|column-)?gap):([^;}\"]+)")
A_SIZE_OF_ITS_OWN = re.compile(r"(?<![\w.-])\d*\.?\d+(?:px|pt|r?em|ch)\b")
NAME = re.compile(r"var\((--[\w-]+)")


def own_sizes(text: str) -> list[str]:
    """The sizes of type and of spaces that a text names itself."""
    return [size for value in OF_THE_SCALE.findall(text) for size in A_SIZE_OF_ITS_OWN.findall(value)]


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.name)
def test_a_style_takes_its_sizes_of_type_and_its_spaces_from_the_scale(path):
    assert own_sizes(path.read_text(encoding="utf-8")) == []


def test_a_size_of_its_own_is_seen_wherever_it_stands():
    style = 'p { font: 600 13px/1.2 serif; margin: 0 calc(2 * var(--s1)) .5em } <b style="font-size:1.1rem;gap:2px">'
    assert own_sizes(style) == ["13px", ".5em", "1.1rem", "2px"]


def test_each_name_of_the_scale_is_used_and_each_one_used_is_there():
    scale = set(re.findall(r"(--[\w-]+):", SCALE))
    used = {name for path in STYLES for name in NAME.findall(path.read_text(encoding="utf-8"))}
    assert scale <= used
    assert {name for name in used if re.fullmatch(r"--s\d", name)} <= scale


def test_figures_and_what_streamlit_draws_are_of_the_same_scale():
    settings = (ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8")
    sizes = {int(size) for size in re.findall(r"--(?:title|text|small): (\d+)px", SCALE)}
    assert FONT["size"] in sizes
    assert set(map(int, re.findall(r"\"(\d+)px\"", settings.replace("6px", "")))) <= sizes
    drawn = [path for path in (ROOT / "pages").rglob("*.py") if re.search(r"font\w*=\{[^}]*size", path.read_text())]
    assert drawn == []


def test_a_button_is_as_wide_as_its_words():
    buttons = re.compile(
        r"\.(?:button|form_submit_button|link_button|download_button)\((?:[^()]|\([^()]*\))*width=\"stretch\""
    )
    wide = [path.name for path in (ROOT / "pages").rglob("*.py") if buttons.search(path.read_text(encoding="utf-8"))]
    assert wide == []
