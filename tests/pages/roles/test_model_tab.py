"""The figures of a version of the model in words."""

from pages.parts.roles.own_tab import figures_of


def test_figures_are_told_in_words_by_file() -> None:
    measured = {"a.jsonl": {"accuracy": 0.8664, "p_at_1": 0.5, "map_at_r": 0.1}, "b.jsonl": {"triplet_accuracy": 0.75}}
    assert (
        figures_of(measured)
        == "a.jsonl: roles right 86.6%, nearest does the same 50.0%; b.jsonl: of triplets right 75.0%"
    )
    assert figures_of({}) == ""
