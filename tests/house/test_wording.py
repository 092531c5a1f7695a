"""What people read is written as docs/wording.md says: read off the calls that draw tables, buttons and titles."""

import ast
import re
from collections.abc import Iterator

import pytest

from pages.parts.shared.tables import head_of
from tests.support.paths import ROOT
from tests.support.strings import SUFFIXES, Text, texts

PAGES = sorted((ROOT / "pages").rglob("*.py"))
# Whose first text people read as the name of something: heads of columns, buttons, titles.
COLUMNS = {"TextColumn", "NumberColumn", "LinkColumn", "ProgressColumn", "CheckboxColumn", "DatetimeColumn"}
BUTTONS = {"button", "File", "form_submit_button", "popover", "expander", "metric", "subheader", "title"}
NAMES = COLUMNS | BUTTONS
# Written otherwise elsewhere: what each says instead.
OTHERWISE = {
    "Accepted": "Key sentences",
    "Rejected": "Not key",
    "Key": "Key sentences, or Key for the decision of an adjudicator",
    "Non-key": "Not key",
    "No key sentence": "Not key",
    "Inconclusive": "Unsure",
    "Disagreements": "Disputed",
}
# The decision of an adjudicator, and the columns of frozen gold beside it.
DECIDES = {"adjudicate_card.py", "adjudicate_text.py", "snapshots.py", "adjudicate.py"}

# The one name of a thing, and the other names by which it went, in any text of the pages, their reasons and refusals.
ONE_NAME = {
    "annotator": r"experts?|reviewers?",
    "at random": r"(?:by )?lots?",
    "being reviewed": r"in hand|in (?:your|others') hands",
    "disputed": r"disagreements?",
    "most likely": "likeliest",
    "name": r"entit(?:y|ies)",
    "practice round": r"training rounds?",
    "project": r"librar(?:y|ies)",
    "restore, withdraw or undo": r"tak(?:e|es|en|ing)(?: \w+)? back|took back",
    "reviewed": r"(?:un)?finished articles?|articles? (?:is|are|were) (?:not )?finished|done by (?:you|others)",
    "role": "functions?",
    "run": r"replays?",
    "search": r"facets?|(?:the|a|this) question (?:finds|is empty|has)",
    "separated by": "apart by",
    "similar": "alike|likeness(?:es)?",
    "still to find": "unfound|probably left",
    "version in use": "(?:proposing|serving) version|model in use",
    "valid": r"mend(?:ed|s)?",
}
# Words of the command line, of files, and of what a language model is told.
NOT_OF_PAGES = (
    "annotate/cli",
    "annotate/articles/parsing",
    "annotate/encoders/tasks",
    "annotate/finding/judged",
    "annotate/proposing/answers",
    "annotate/roles/evaluate_roles.py",
    "annotate/topics/label_columns.py",
)
NAMES_OF_CODE = {"alike wide", "entity {}", "triage lot:{}"}
A_COMMAND = re.compile(r"\b(?:entities|functions) (?:recognise|train|evaluate|promote)\b|\b\w+:(?= )")


def read_on_pages() -> list[Text]:
    """The texts of the pages, and of what they show of `annotate`."""
    files = [path for room in ("pages", "annotate") for path in (ROOT / room).rglob("*") if path.suffix in SUFFIXES]
    found = texts(path for path in files if not str(path.relative_to(ROOT)).startswith(NOT_OF_PAGES))
    return [one for one in found if one.words not in NAMES_OF_CODE]


def called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def written() -> Iterator[tuple[str, str, str]]:
    """(file, function, text) of each name that stands in the source as a text; of a sum of texts the first."""
    for path in PAGES:
        for call in ast.walk(ast.parse(path.read_text())):
            if not isinstance(call, ast.Call) or called(call) not in NAMES:
                continue
            labels = [word.value for word in call.keywords if word.arg == "label"]
            for first in (call.args[:1] + labels)[:1]:
                told = first.values[0] if isinstance(first, ast.JoinedStr) and first.values else first
                if isinstance(told, ast.Constant) and isinstance(told.value, str) and told.value:
                    yield f"{path.name}:{call.lineno}", called(call), told.value


def test_names_begin_with_a_capital_for_the_first_word_alone() -> None:
    found = list(written())
    assert len(found) > 150
    small = [one for one in found if one[2][0].islower() and one[2].isascii()]
    assert not small
    title_case = [one for one in found if one[2].istitle() and len(one[2].split()) > 2]
    assert not title_case


def test_one_thing_has_one_name() -> None:
    wrong = [
        (place, text, OTHERWISE[text])
        for place, _, text in written()
        if text in OTHERWISE and place.split(":")[0] not in DECIDES
    ]
    assert not wrong


def other_names(words: str) -> list[str]:
    """The names in a text that a thing has instead of its one name."""
    own = A_COMMAND.sub("", words)
    return [found[0] for other in ONE_NAME.values() for found in re.finditer(rf"\b(?:{other})\b", own, re.I)]


def test_no_text_of_a_page_has_a_second_name_for_a_thing() -> None:
    found = read_on_pages()
    assert len(found) > 2500
    assert not [(one.place, names, one.words) for one in found if (names := other_names(one.words))]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("The likeliest sentences, drawn by lot, of an expert", ["expert", "by lot", "likeliest"]),
        ("No article is finished; take it back.", ["take it back", "article is finished"]),
        ("{} entities train CORPUS, label: entity: key:", []),
    ],
)
def test_a_second_name_is_found_and_a_command_is_none(words: str, names: list[str]) -> None:
    assert other_names(words) == names


def test_every_table_is_drawn_by_the_function_that_writes_the_heads() -> None:
    drawn = [
        f"{path.name}:{call.lineno}"
        for path in PAGES
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and called(call) == "dataframe" and path.name != "tables.py"
    ]
    assert not drawn


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("not key", "Not key"),
        ("n", "n"),
        ("κ", "κ"),
        ("SHA-256", "SHA-256"),
        ("v1", "v1"),
        ("all-MiniLM-L6-v2", "all-MiniLM-L6-v2"),
        ("precision@1", "Precision@1"),
        ("", ""),
    ],
)
def test_a_column_without_a_head_gets_one_by_its_name(name: str, head: str) -> None:
    assert head_of(name) == head
