"""Every template, filled in with hostile text: it stays text, wherever it stands, and nothing may be left out."""

import ast
import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from bs4 import BeautifulSoup
from jinja2 import UndefinedError
from markupsafe import Markup

from pages.parts.frame.templates import ENVIRONMENT, PARTS, TEMPLATES, render

EVIL = """'"><img src=x onerror="alert(1)"></script><script>alert(2)</script>&lt; {{ 7 * 7 }} {% raw %}"""
MILD = "text"
# A tag of HTML; plotly's own markup for hover texts is none.
TAG = re.compile(r"</?(?!b>|br>|extra>)[a-z][a-z0-9]*[\s>]")
STYLE = Markup("p { color: red; }")
# The values of each template, every text of which is the one given: a new template needs a line here.
VALUES: dict[str, Callable[[str], dict[str, Any]]] = {
    "adjudicate_article.html.j2": lambda t: {"paragraphs": [(t, [(t, False), (t, True)]), (None, [(t, False)])]},
    "adjudicate_history.html.j2": lambda t: {"lines": [t, t]},
    "adjudicate_mark.html.j2": lambda t: {"text": t},
    "adjudicate_opinions.html.j2": lambda t: {
        "opinions": [{"who": t, "key": key, "verdict": t, "circumstances": [t], "comment": t} for key in (True, False)]
    },
    "adjudicate_sentence.html.j2": lambda t: {"section": t, "before": t, "text": t, "after": t},
    "article_heading.html.j2": lambda t: {"title": t, "source": t},
    "audit_key.html.j2": lambda t: {"text": t},
    "sentence_in_place.html.j2": lambda t: {
        **dict.fromkeys(("title", "section", "place", "labels", "before", "text", "after"), t)
    },
    "like_sentence.html.j2": lambda t: dict.fromkeys(("text", "role", "likeness", "article", "title"), t),
    "suggestion.html.j2": lambda t: dict.fromkeys(("title", "address", "details"), t)
    | {"reasons": [t], "pair": (t, t)},
    "link.html.j2": lambda t: {"address": t, "text": t},
    "sections.html.j2": lambda t: {"place": t, "here": t, "sections": [(t, t, t), (t, "another", "")]},
    "login_code.html.j2": lambda t: dict.fromkeys(("drawn", "secret", "following", "problem", "ticket"), t)
    | {"style": STYLE},
    "login_recovery_codes.html.j2": lambda t: {"style": STYLE, "codes": t, "following": t},
    "login_second_factor.html.j2": lambda t: {"style": STYLE, "is_on": t, "problem": t},
    "login_first_admin.html.j2": lambda t: {"style": STYLE, "command": t},
    "login_form.html.j2": lambda t: {"style": STYLE, "following": t, "name": t, "problem": t},
    "login_link.html.j2": lambda t: {"address": t, "text": t},
    "login_page.html.j2": lambda t: {"style": STYLE, "title": t},
    "login_password.html.j2": lambda t: {"style": STYLE, "name": t, "problem": t},
    "login_problem.html.j2": lambda t: {"problem": t},
    "login_says.html.j2": lambda t: {"style": STYLE, "title": t, "text": t},
    "project_switch.html.j2": lambda t: {"here": t, "links": [(t, t), (t, t)]},
    "report.html.j2": lambda t: {
        **dict.fromkeys(("heading", "app", "about"), t), "sections": [(t, t, t)],
        "style": STYLE, "plotly": Markup("let a = 1;"), "clicks": Markup("let b = 2;"),
    },
    "report_figure.html.j2": lambda t: {"drawn": t, "review": True},
    "report_table.html.j2": lambda t: {"rows": [{t: t, "article": 7, "score": 0.5}], "app": t},
    "report_text.html.j2": lambda t: {"text": t},
    "ring.html.j2": lambda t: dict.fromkeys(("share", "done", "total", "words"), t),
    "text_table.html.j2": lambda t: {
        "label": t, "columns": {t: t, "number": t, "review": t}, "numbers": {"number"}, "helps": {t: t},
        "rows": [({t: t, "number": t, "review": f"/review?article={t}"}, True)],
    },
    "topic_preview.html.j2": lambda t: {
        "articles": [{"title": t, "note": t, "lists": [(t, [{"text": t, "is_key": True, "only_here": True}])]}] * 2,
        "only": t, "key": t,
    },
}  # fmt: skip
NAMES = sorted(TEMPLATES)


def shape(html: str) -> list[tuple[str, list[str]]]:
    """The tags of a document and the names of their attributes."""
    return [(tag.name, sorted(tag.attrs)) for tag in BeautifulSoup(html, "html.parser").find_all(True)]


def test_each_template_is_filled_in_here_and_has_a_name_of_its_own():
    assert sorted(VALUES) == NAMES
    assert len(list(PARTS.rglob("*.html.j2"))) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_hostile_text_is_shown_as_text_and_changes_no_tag_and_no_attribute(name):
    html = render(name, **VALUES[name](EVIL))
    assert EVIL not in html and "<img" not in html and "<script>alert" not in html
    assert EVIL in unescape(html)
    assert shape(html) == shape(render(name, **VALUES[name](MILD)))


@pytest.mark.parametrize("name", NAMES)
def test_a_value_that_is_not_given_is_an_error(name):
    values = VALUES[name](MILD)
    for left_out in values:
        with pytest.raises(UndefinedError):
            render(name, **{given: value for given, value in values.items() if given != left_out})


@pytest.mark.parametrize("name", NAMES)
def test_no_template_turns_escaping_off(name):
    source = TEMPLATES[name].read_text()
    assert not re.search(r"\bsafe\b|\bautoescape\b|\bMarkup\b", source)
    assert ENVIRONMENT.autoescape is True


def test_html_goes_into_html_as_it_is_and_text_does_not():
    inner = render("report_text.html.j2", text="a < b")
    assert inner == "<p>a &lt; b</p>"
    assert inner in render("report_figure.html.j2", drawn=inner, review=False)
    assert str(inner + "<b>") == "<p>a &lt; b</p>&lt;b&gt;"


@pytest.mark.parametrize(
    "path", sorted([PARTS.parent.parent / "app.py", *PARTS.parent.rglob("*.py")]), ids=lambda p: p.name
)
def test_no_python_of_the_pages_writes_html(path):
    """No tag in a text that is put together, nothing but a template or a constant is handed to st.html."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            words = "".join(part.value for part in node.values if isinstance(part, ast.Constant))
            assert not TAG.search(words), f"line {node.lineno}: {words}"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "html":
            assert _is_template_or_constant(node.args[0]), f"line {node.lineno}: {ast.unparse(node)}"
    assert "unsafe_allow_html" not in path.read_text()


def _is_template_or_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "render"
    return isinstance(node, ast.Name) and node.id.isupper()
