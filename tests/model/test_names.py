"""Ways to write a name fall together, and every folded character knows where it came from."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.names import alike, alike_as_asked, caseless, composed, fold, fold_name, words_of


@pytest.mark.parametrize(
    "ways",
    [
        ("IL-2", "IL2", "IL 2", "il−2"),
        ("NF-κB", "NF-kappaB", "NFkappaB"),
        ("TGFβ1", "TGF-beta 1", "TGFB1", "TGFbeta1"),
        ("caspase III", "caspase-3", "Caspase 3"),
        ("β-catenin", "beta-catenin", "beta catenin"),
        ("PKCα", "PKCalpha"),
        ("HEK-293T", "HEK 293T", "HEK293T"),
    ],
)
def test_ways_to_write_one_name_fold_alike(ways: tuple[str, ...]) -> None:
    assert len({fold_name(way) for way in ways}) == 1


@pytest.mark.parametrize(
    ("name", "ways"), [("nfkb", "NF-κB NF-kB NFkB nf-kb NF-kappaB"), ("tgfb1", "TGF-β1 TGF-b1 TGFB1")]
)
def test_a_search_reads_each_way_to_write_one_name_as_one_word(name: str, ways: str) -> None:
    assert {alike_as_asked(way).lower() for way in ways.split()} == {name}
    assert alike("10-kb and 5-kB of DNA") == "10-kb and 5-kB of DNA"


@pytest.mark.parametrize(("one", "other"), [("L3.6", "L36"), ("TP53", "TP5 3"), ("IL-2", "IL-21"), ("A. B", "AB")])
def test_names_that_differ_stay_apart(one: str, other: str) -> None:
    assert fold_name(one) != fold_name(other)


def test_what_cannot_stand_within_a_name_ends_it() -> None:
    assert fold("TP53, BRCA1 (IL-2). We").text == "tp53|brca1|il2|we"


def test_a_span_leads_back_to_the_characters_of_the_text() -> None:
    text = "loss of NF-κB and TGF-β1 in mice"
    folded = fold(text)
    place = folded.text.index("tgfb1")
    origin = folded.origin(place, place + 5)
    assert origin is not None and text[slice(*origin)] == "TGF-β1"


def test_a_letter_and_its_mark_are_one_character_that_leads_back_to_both() -> None:
    text = "x\u0304 of Mu\u0308ller glia"
    plain, origin = composed(text)
    assert plain == "x\u0304 of M\u00fcller glia" and len(origin) == len(plain) + 1
    start = plain.index("M")
    assert text[origin[start] : origin[start + 6]] == "Mu\u0308ller"
    assert composed("M\u00fcller glia")[1] == range(12)


def test_a_name_and_a_word_of_letters_with_marks_lead_back_to_them() -> None:
    text = "the Mu\u0308ller glia"
    folded = fold(text)
    place = folded.text.index("m\u00fcller")
    origin = folded.origin(place, place + 6)
    assert origin is not None and text[slice(*origin)] == "Mu\u0308ller"
    assert [text[start:end] for _, start, end in words_of(text)] == ["the", "Mu\u0308ller", "glia"]


def test_a_name_is_the_same_in_any_case_and_either_form_of_unicode() -> None:
    assert caseless("M\u00dcLLER") == caseless("Mu\u0308ller") != caseless("Muller")


def test_a_span_that_cuts_a_word_leads_nowhere() -> None:
    folded = fold("impact")
    assert folded.origin(2, 6) is None


@given(st.text(max_size=200))
@settings(deadline=None)
def test_any_text_folds_to_characters_with_offsets_within_it(text: str) -> None:
    folded = fold(text)
    assert len(folded.text) == len(folded.starts) == len(folded.ends) == len(folded.first) == len(folded.last)
    assert all(0 <= start <= end <= len(text) for start, end in zip(folded.starts, folded.ends, strict=True))
    assert list(folded.starts) == sorted(folded.starts)
