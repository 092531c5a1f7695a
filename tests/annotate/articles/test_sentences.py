"""Sentence spans: cases of science text (made up), and what must hold of any text."""

import subprocess
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from annotate.articles import sentence_rules
from annotate.articles.sentences import LONGEST_SENTENCE, SplitsWrongly, check_splitter, split_sentences
from tests.support.paths import ROOT
from tests.support.splitting import splitting_wrongly

# " | " marks a boundary that must be found, and stands for one space; "|" alone for none.
CASES = {
    "figures": "Weights rose (Fig. 2). | See Figs. 3 and 4. | Eq. 5 and Ref. 6 agree. | Suppl. Fig. 1 does not.",
    "figure at the end": "Weights are in S1 Fig. | Mice ran as in S1 Fig. A in file S2.",
    "abbreviations": "Mice, cf. rats, ate approx. 5 g vs. 6 g, i.e. less, e.g. Monday, resp. Tuesday. | Then ca. 3 g.",
    "capitals that follow": "We compared Mus vs. Rattus, i.e. Mouse and Rat. | Both ran.",
    "et al.": "So said Doe et al. (2001) and Roe et al. [7] too. | We follow Doe et al. | The rest is new.",
    "bracketed authors": "Mice run (Doe et al., 2001). | We ran too (Roe et al.) Friday.",
    "titles and names": "Dr. Doe met Prof. Roe at St. Mary. | J. R. Doe and A.B. Roe left. | It was sent by J. Doe.",
    "companies": "Kits were from Acme Inc. in Ohio and Acme Corp. of Utah. | Acme Ltd. helped.",
    "countries": "It was made in the U.S. and sold. | It left the U.S. | The rest stayed.",
    "numbers": "Set No. 5 was used. | Was it? | They said no. | See vol. 3, pp. 4-5. | Wait min. 5 min. | Rats left.",
    "plate": "He drew it (Roe, 1921, p. 3), pl. 7, Fig. 1. | See vol. 2, pl. 12.",
    "torn decimal": "The dose was 1. 5 mg a day. | It fell.",
    "year then number": "It closed in 2005. | 12 mice were left.",
    "bare decimal": "It differed (p < .05). | The rest had p < .05 too.",
    "species": "E. coli grew with S. cerevisiae. | C. elegans did not. | Candida spp. and Bacillus sp. grew.",
    "serovar": "We plated S. Typhimurium twice. | S. Typhi died.",
    "subspecies": "A. mellifera subsp. ligustica and var. major flew. | So did f. alba.",
    "strain": "We used C57BL/6J. | Mice were fed. | BALB/c. | Rats too.",
    "genes": "Nkx2.5 rose. | Kv1.3 fell in RAW264.7 cells. | L3.6 had HLA-DRB1.04. | We saw c.1267C>T (p.Arg423*).",
    "protein change": "A child had p. R214H in one gene. | It was new.",
    "lower-case names": (
        "It bound. | p53 fell. | mRNA rose. | siRNA cut it. | miR-21 fell. | dCas9 bound. | α-tubulin stained. | "
        "c-Myc rose. | iPSCs grew. | let-7 fell. | van der Doe said so."
    ),
    "lower case goes on": "It grew on agar. in one case only.",
    "units": "Rats ate 5 g. | Mice ate for 3 h. | Cells sat at 37 °C. | Others at 4 ° C. | After 20 ms. | Then none.",
    "letters": "Rats got vitamin C. | Mice got none. | Set x. | The rest is in panels A and B. | These show it.",
    "acronyms": "It carried HLA-DR. | Cells were read by MS. | Peaks rose.",
    "bracketed citations": "Cells grew.[12] | We stopped.[3],[4] | However, they grew. [5,6] | Then they died [7].",
    "several bracketed citations": "Cells grew. [34], [35] | We saw one. [2]–[7] | Then they died. [1], [61]",
    "citation as subject": "Do cells grow? | [9] says so.",
    "superscript citations": "Cells grew.12 | We stopped.3,4 | Then they died (p < 0.1).5–7 | Rats ran.¹² | So do we.",
    "superscripts parted by spaces": "It costs more.9 10 | All did.9 11–13 15 | A cell left.12 | 20 mice died.1 2",
    "superscript before a number": "We used cells\u20095. | 7 mice ran in 2014\u20091. | Rats did not.",
    "inside brackets": "Cells grew (in a dish. We saw it. Twice) for days. | They died.",
    "bracketed sentence": "Cells grew. | (We saw it.) | They died (all of them.) | The end.",
    "unbalanced bracket": "Cells grew (a lot. | They died. | We left.",
    "questions": "Is it so? | Yes! | No?! | We do not know.",
    "mark in a name": "The Yahoo! search found a doubtful (?) Strain.",
    "quotes": "She said “it grows.” | He said ‘it dies.’ | They asked 'why?' and left. | \"We left.\" | Then all did.",
    "no space": "Cells grew in dishes.|We then stopped (all).|The end.",
    "no space, unsafe": "Load my_data.This or x/pkg.We or org.Hs.The or cells.Mice now.",
    "addresses": "See www.keyline.example/a.The or http://keyline.example/b.html. | Write to a.b@c.example. | Bye.",
    "doi": "See doi:10.1000/x.12. | Then rest.",
    "ellipsis": "It went on... | Then it stopped. | Take x1, ... XN as given… | We did.",
    "list markers": "(i) Wash and (ii) dry. | (iii) Rest is good. | 1. Wash them. | 2. Dry them. | A. Left of it.",
    "after a colon": "Do as follows: 1. Wash them. | 2. Dry them.",
    "panels": "Mice run. | (B) Rats swim. | (c) cats sit. | d. Dogs lie.",
    "labels": "Figure 1. Mice run. | Table S2. Rats swim. | Step 3. Rest.",
    "ratio": "It was cut 1:50. | The rest was kept.",
    "blank line": "It has no end\n\nbut. |\n\n Next.",
}


def marked(case: str) -> tuple[str, list[str]]:
    return case.replace(" | ", " ").replace("|", ""), [piece.strip() for piece in case.split("|")]


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in CASES.items()])
def test_a_paragraph_of_science_text_is_split_where_a_reader_would(case: str) -> None:
    text, sentences = marked(case)
    assert [text[start:end] for start, end in split_sentences(text)] == sentences


@pytest.mark.parametrize("text", ["", " ", "\n\t\u2003"])
def test_white_space_holds_no_sentence(text: str) -> None:
    assert split_sentences(text) == []


def test_white_space_around_a_paragraph_belongs_to_no_sentence() -> None:
    assert split_sentences("  Mice run.\u00a0 Rats swim. \n") == [(2, 11), (13, 23)]


def test_a_paragraph_without_a_boundary_comes_back_cut_at_white_space() -> None:
    text = "mouse " * 8400
    spans = split_sentences(text)
    assert_rebuilds(text, spans)
    assert all(text[start:end].split().count("mouse") == len(text[start:end].split()) for start, end in spans)
    assert all(end - start > LONGEST_SENTENCE - 10 for start, end in spans[:-1])


def test_a_word_longer_than_a_sentence_may_be_is_cut() -> None:
    assert [end - start for start, end in split_sentences("x" * 4500)] == [2000, 2000, 500]


HOSTILE = {
    "dots": "." * 50_000,
    "spaced dots": ". " * 25_000,
    "open": "(" * 50_000 + ". A",
    "closed": "a." + ")" * 50_000 + "x",
    "bracketed": "(a. B) " * 7_000,
    "nested": ("(" * 300 + "a. B " + ")" * 300) * 80,
    "never cited": "a.[" + "1 " * 25_000,
    "raised": "cells.1" + " 2" * 25_000,
    "many raised": "cells.1 2 3 4 5 6 7 8 " * 3_000,
    "many cited": "cells. [1], [2], [3], [4] a " * 2_500,
    "cited in a row": "cells. [1]" + ", [1]" * 10_000,
    "initials": "A. " * 16_000,
    "abbreviations": "al. " * 12_000,
    "marks": "?!" * 25_000,
    "blank": "a." + " " * 50_000 + "B",
}


@pytest.mark.timeout(30)  # each takes less than 0.3 s on one slow core, and minutes in quadratic time
@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in HOSTILE.items()])
def test_hostile_text_takes_no_quadratic_time(text: str) -> None:
    assert_rebuilds(text, split_sentences(text))


def assert_rebuilds(text: str, spans: list[tuple[int, int]]) -> None:
    """Spans in order, stripped, no longer than allowed; sentences and gaps of white space give the text."""
    rebuilt, at = [], 0
    for start, end in spans:
        assert at <= start < end <= len(text)
        assert end - start <= LONGEST_SENTENCE
        assert text[start:end] == text[start:end].strip()
        assert not text[at:start].strip()
        rebuilt += [text[at:start], text[start:end]]
        at = end
    assert not text[at:].strip()
    assert "".join([*rebuilt, text[at:]]) == text


SCRAPS = (
    "Mice~mRNA~p53~et al.~Fig.~(~)~[~]~[12]~[1,2]~.~. ~.. ~...~?~!~ ~  ~\n~\n\n~\u00a0~\u2009~12~0.5~E. coli~C.~”~'~"
    "|~We~the~cells~cells.12~i.e.~No.~,~:~;~%~°C~…~α~(A)~1.~S1 Fig.~\U0001d4d4~\u0301~¹²~www.a.example~\x1f~\ud800"
)
SCIENCE = st.lists(st.sampled_from(SCRAPS.split("~")), max_size=60).map("".join)


@given(st.one_of(st.text(max_size=300), SCIENCE))
@settings(max_examples=600, deadline=None)
def test_sentences_and_gaps_of_white_space_rebuild_any_text(text: str) -> None:
    spans = split_sentences(text)
    assert type(spans) is list
    assert all(type(span) is tuple and [type(offset) for offset in span] == [int, int] for span in spans)
    assert_rebuilds(text, spans)
    assert split_sentences(text) == spans


@given(SCIENCE)
@example(")...We")
@settings(max_examples=200, deadline=None)
def test_white_space_around_a_text_moves_its_sentences_and_changes_none(text: str) -> None:
    moved = [(start - 3, end - 3) for start, end in split_sentences(f" \t {text} ")]
    assert moved == split_sentences(text)


@pytest.mark.parametrize("opener", ["The", "the", "Junbo", "-", "(", "5", "C)", "...", "Fig.", "Ångström", "?"])
@pytest.mark.parametrize("word", ["strains", "No2)", "0.05)", "(23]", "Fig)", "al.)", "a.b.]", "HeLa", "ab", ")"])
def test_where_punkt_is_not_asked_it_would_have_ended_the_sentence(word: str, opener: str) -> None:
    assert sentence_rules._is_plain(word)
    assert sentence_rules._punkt().text_contains_sentbreak(f"{word}. {opener}")


@pytest.mark.parametrize("word", ["al", "Fig", "x", "5", "Abcg8", "wild-type", "für", ""])
def test_punkt_is_asked_about_abbreviations_letters_numbers_and_what_is_put_together(word: str) -> None:
    assert not sentence_rules._is_plain(word)


ALONE = """
import sys
from annotate.articles import sentence_rules
sentence_rules.load_punkt_only()
print("scipy" in sys.modules, "sklearn" in sys.modules, sentence_rules._punkt.cache_info().currsize)
import scipy.stats, sklearn.base
print(scipy.stats.norm.cdf(0))
"""


def test_a_process_that_splits_alone_loads_punkt_without_what_it_needs_for_nothing():
    told = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=True, cwd=ROOT)
    assert told.stdout.split() == ["False", "False", "1", "0.5"]


def test_a_python_that_finds_no_end_at_a_full_stop_is_known_by_a_known_paragraph():
    with splitting_wrongly(), pytest.raises(SplitsWrongly, match=r"^Python 3\..* makes 3 sentences .* that has 7, "):
        check_splitter()
    check_splitter()


def test_the_known_paragraph_needs_no_punkt(monkeypatch):
    monkeypatch.setattr(sentence_rules, "_punkt", lambda: pytest.fail("Punkt is loaded"))
    check_splitter.cache_clear()
    check_splitter()
