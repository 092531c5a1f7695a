"""No test without an assertion: each asserts, expects an error, or calls a helper of the tests that does. And none that
fails since the machine is busy: Hypothesis would give each example a fifth of a second."""

import ast
from functools import cache
from pathlib import Path

from tests.support.each import each
from tests.support.paths import ROOT

FILES = sorted(path.relative_to(ROOT) for path in (ROOT / "tests").rglob("test_*.py"))
# What fails by itself where something is not as it should be.
FAILS = {"raises", "fail", "warns", "check_call", "check_output", "wait_for_selector", "wait_for_function", "wait_for"}


def names(node: ast.AST) -> set[str]:
    """The names, without their modules, of what is called or handed over anywhere in it."""
    found = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return found | {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}


def proves(node: ast.AST) -> bool:
    """Whether it asserts or expects an error by itself."""
    parts = list(ast.walk(node))
    checked = any(
        isinstance(part, ast.keyword) and part.arg == "check" and ast.unparse(part.value) == "True" for part in parts
    )
    named = any(name in FAILS or name.startswith("assert_") for name in names(node))
    return checked or named or any(isinstance(part, ast.Assert) for part in parts)


@cache
def helpers() -> frozenset[str]:
    """The functions and fixtures of the tests that assert or expect an error, whichever file has one of the name."""
    functions: dict[str, list[ast.AST]] = {}
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for part in ast.walk(ast.parse(path.read_text())):
            if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) and not part.name.startswith("test_"):
                functions.setdefault(part.name, []).append(part)
    return frozenset(name for name, bodies in functions.items() if any(map(proves, bodies)))


def without_assertion(source: str) -> list[str]:
    """The tests of a file that can only fail by an error that nobody expects."""
    functions = [
        part for part in ast.walk(ast.parse(source)) if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    tests = [function for function in functions if function.name.startswith("test_")]
    proving = helpers() | {function.name for function in functions if function not in tests and proves(function)}
    return [test.name for test in tests if not proves(test) and not names(test) & proving]


@each(FILES)
def test_every_test_asserts_something(path: Path) -> None:
    assert without_assertion((ROOT / path).read_text()) == []


def test_a_test_that_proves_nothing_is_found() -> None:
    assert without_assertion("def test_a():\n    print(1)\n\n\ndef test_b():\n    assert 1\n") == ["test_a"]


def in_a_hurry(source: str) -> list[str]:
    """The tests of a file that Hypothesis feeds and gives a limit of time."""
    functions = [part for part in ast.walk(ast.parse(source)) if isinstance(part, ast.FunctionDef)]
    decorated = {part.name: [ast.unparse(one) for one in part.decorator_list] for part in functions}
    return [
        name
        for name, given in decorated.items()
        if any(one.startswith("given(") for one in given) and not any("deadline=None" in one for one in given)
    ]


@each(FILES)
def test_no_test_that_is_fed_by_hypothesis_has_a_limit_of_time(path: Path) -> None:
    assert in_a_hurry((ROOT / path).read_text()) == []


def test_a_test_in_a_hurry_is_found() -> None:
    fed = "@given(words)\n{}def test_{}(): pass\n"
    assert in_a_hurry(fed.format("", "a") + fed.format("@settings(deadline=None)\n", "b")) == ["test_a"]
