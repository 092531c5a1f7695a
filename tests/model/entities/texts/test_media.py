"""Culture media by the ways in which texts call them."""

import pytest

from model.entities.texts.media import media_in


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in media_in(text)]


@pytest.mark.parametrize(
    "medium",
    [
        "Dulbecco's Modified Eagle Medium",
        "Dulbecco’s modified Eagle’s medium",
        "Dulbecco modified Eagle medium",
        "Eagle's minimum essential medium",
        "Minimum Essential Medium Eagle",
        "Iscove's Modified Dulbecco's Medium",
        "Roswell Park Memorial Institute 1640 medium",
        "Roswell Park Memorial Institute medium",
        "RPMI-1640 medium",
        "RPMI 1640",
        "DMEM/F12",
        "DMEM/Ham's F-12",
        "α-MEM",
        "Opti-MEM",
        "MEM medium",
        "Ham's F-12",
        "Leibovitz's L-15 medium",
        "McCoy's 5A medium",
        "Medium 199",
        "M199 medium",
        "Schneider's Drosophila medium",
        "Grace's insect medium",
        "William's E medium",
        "Murashige and Skoog medium",
        "Neurobasal-A medium",
        "Luria-Bertani broth",
        "Hanks' balanced salt solution",
    ],
)
def test_a_medium_is_seen_as_a_whole(medium: str) -> None:
    assert found(f"Cells were kept in {medium} with serum.") == [medium]


def test_every_medium_of_a_list_is_seen() -> None:
    assert found("They grew in DMEM, RPMI 1640 or Eagle's medium.") == ["DMEM", "RPMI 1640", "Eagle's medium"]


@pytest.mark.parametrize(
    "text",
    [
        "The bald eagle is a bird; Eagle et al. saw it.",
        "F12 and MEM were deleted in mice.",
        "Mouse cells were kept in fresh medium.",
        "Drosophila larvae ate the medium.",
        "Parkinson's patients took a medium dose.",
        "MEM1, DMEMX and a media file.",
        "",
    ],
)
def test_nothing_else_is_a_medium(text: str) -> None:
    assert found(text) == []
