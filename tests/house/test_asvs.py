"""OWASP's ASVS 5.0.0, levels 1 and 2: each requirement is in the table once, and what shows it is there."""

import ast
import csv
import re
from collections import Counter

import pytest
from bs4 import BeautifulSoup
from starlette.responses import HTMLResponse

from pages.parts.server.login_html import login_form, password_form, second_factor_form
from tests.support.paths import PAGES, ROOT

pytestmark = pytest.mark.sqlite("files alone")

# The levels of the requirements of each section, in order.
SECTIONS = {
    **{"1.1": "22", "1.2": "1111122223", "1.3": "112222222223", "1.4": "222", "1.5": "123", "2.1": "122", "2.2": "112"},
    **{"2.3": "12223", "2.4": "23", "3.1": "3", "3.2": "113", "3.3": "12223", "3.4": "11222233", "3.5": "11122333"},
    **{"3.6": "3", "3.7": "22333", "4.1": "12233", "4.2": "23333", "4.3": "22", "4.4": "1222", "5.1": "2"},
    **{"5.2": "112333", "5.3": "113", "5.4": "222", "6.1": "122", "6.2": "111111112222", "6.3": "11223333"},
    **{"6.4": "112233", "6.5": "22222333", "6.6": "2223", "6.7": "33", "6.8": "2222", "7.1": "222", "7.2": "1111"},
    **{"7.3": "22", "7.4": "11222", "7.5": "223", "7.6": "22", "8.1": "1233", "8.2": "1123", "8.3": "133", "8.4": "23"},
    **{"9.1": "111", "9.2": "1222", "10.1": "22", "10.2": "223", "10.3": "22223", "10.4": "1111122222233333"},
    **{"10.5": "22222", "10.6": "22", "10.7": "222", "11.1": "2233", "11.2": "22233", "11.3": "11233", "11.4": "1222"},
    **{"11.5": "23", "11.6": "23", "11.7": "33", "12.1": "12233", "12.2": "11", "12.3": "22223", "13.1": "2333"},
    **{"13.2": "222223", "13.3": "2233", "13.4": "1222233", "14.1": "22", "14.2": "12223333", "14.3": "122"},
    **{"15.1": "12233", "15.2": "12233", "15.3": "1222222", "15.4": "3333", "16.1": "2", "16.2": "22222"},
    **{"16.3": "2222", "16.4": "222", "16.5": "2223", "17.1": "23", "17.2": "22223333", "17.3": "22"},
}
LEVELS = {
    f"{section}.{number}": level
    for section, levels in SECTIONS.items()
    for number, level in enumerate(levels, 1)
    if level in "12"
}
with (ROOT / "docs" / "asvs.csv").open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file))
PYTHON = [path for room in ("annotate", "db", "model", "pages") for path in (ROOT / room).rglob("*.py")]
SCRIPTS = list((ROOT / "pages").rglob("*.js"))
# What runs a text, unpacks objects, makes weak hashes or guessable numbers, or trusts any certificate.
CALLS = {"eval", "exec", "os.system", "os.popen", "pickle.load", "hashlib.md5", "hashlib.sha1", "shelve.open"}
IN_SCRIPTS = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|\"message\"")


def test_every_requirement_of_both_levels_is_there_once_in_order() -> None:
    assert [(row["requirement"], row["level"]) for row in ROWS] == list(LEVELS.items())
    assert Counter(LEVELS.values()) == {"1": 70, "2": 183}


def test_what_is_met_names_what_shows_it_and_all_else_says_why() -> None:
    assert {row["state"] for row in ROWS} == {"met", "not met", "not applicable"}
    assert not [row for row in ROWS if bool(row["shown by"]) != (row["state"] == "met")]
    assert not [row for row in ROWS if row["state"] != "met" and not row["why"]]


def test_what_shows_it_is_there() -> None:
    named = {each for row in ROWS for each in row["shown by"].split("; ") if each}
    wrong = []
    for each in sorted(named):
        path, _, function = each.partition("::")
        if not (ROOT / path).is_file() or (function and f"def {function}(" not in (ROOT / path).read_text()):
            wrong.append(each)
    assert not wrong


def is_unsafe(node: ast.AST) -> bool:
    """Whether a piece of a program is one of what must not be there."""
    if isinstance(node, ast.Import):
        return "random" in {one.name for one in node.names}
    if isinstance(node, ast.Call):
        named, written = ast.unparse(node.func), ast.unparse(node)
        options = {f"{one.arg}={ast.unparse(one.value)}" for one in node.keywords}
        unsafe = options & {"shell=True", "verify=False", "allow_pickle=True"}
        return named in CALLS or bool(unsafe) or (named == "yaml.load" and "SafeLoader" not in written)
    return isinstance(node, ast.Attribute) and node.attr == "CERT_NONE"


def test_what_must_not_be_in_the_source_is_not() -> None:
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in PYTHON}
    assert not [path for path, tree in trees.items() if any(map(is_unsafe, ast.walk(tree)))]
    assert not [path for path in SCRIPTS if IN_SCRIPTS.search(path.read_text(encoding="utf-8"))]


def fields(answer: HTMLResponse) -> dict[str, tuple[str, str]]:
    """(type, what a manager may fill in) of the fields that people see, by name."""
    found = BeautifulSoup(bytes(answer.body), "html.parser").find_all("input")
    seen = [field for field in found if field.get("type") != "hidden"]
    return {str(field["name"]): (str(field.get("type", "text")), str(field["autocomplete"])) for field in seen}


def test_fields_of_passwords_hide_them_and_let_managers_fill_them_in() -> None:
    present, fresh, code = ("password", "current-password"), ("password", "new-password"), ("text", "one-time-code")
    assert fields(login_form(following="/")) == {"name": ("text", "username"), "password": present}
    assert fields(second_factor_form(is_on=True)) == {"password": present, "code": code}
    assert fields(password_form("Anna")) == {"old": present, "new": fresh, "again": fresh}
    forms = (PAGES / "parts" / "team" / "people_forms.py").read_text(encoding="utf-8")
    assert forms.count('type="password"') == forms.count('autocomplete="new-password"') == 2
