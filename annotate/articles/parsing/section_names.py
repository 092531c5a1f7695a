"""What sections of research articles are called, for files that say nothing of which line is a heading."""

import re

from annotate.articles.parsing.outline import BACK_TITLES

_MAIN = BACK_TITLES | frozenset(
    line.strip()
    for line in """
    abstract; structured abstract; summary; author summary; significance; significance statement; highlights
    introduction; background; literature review; related work; aims; objectives; objective; aim; purpose
    methods; method; materials; methodology; materials and methods; methods and materials; material and methods
    patients and methods; subjects and methods; participants and methods; experimental procedures
    experimental section; experimental; experimental methods; star methods; online methods; study design; design
    statistical analysis; results; findings; results and discussion; discussion; discussion and conclusions
    discussion and conclusion; general discussion; conclusion; conclusions; concluding remarks; limitations; outlook
    summary and conclusions; conclusions and perspectives; perspectives; case report; case presentation
    case description
    literature cited; references and notes; works cited; reference; notes and references; cited literature
    supporting information; supplementary material; supplementary materials; supplementary information
    supplementary data; additional files; additional file; supplemental material; data access; accession numbers
    authors' contributions; author's contributions; authors contributions; author contribution; conflicts of interest
    conflict of interest statement; declaration of competing interest; competing interest; declarations; disclosures
    ethics statement; ethics approval; data availability statement; availability of data and materials
    consent for publication; list of abbreviations; abbreviations used; figure legends; tables; financial disclosure
    pre-publication history; authors' information; financial support; funding statement; disclosure; grant support
    """.replace("\n", ";").split(";")
    if line.strip()
)
_REFERENCES = frozenset(
    """references; reference; bibliography; literature cited; references and notes; works cited; notes and references
    cited literature""".replace("\n", ";").split("; ")
) | {"cited literature"}
_NUMBER = re.compile(r"^(?:(\d{1,2}(?:\.\d{1,2}){0,3})[.)]?|[IVX]{1,4}\.|[A-H]\.)\s+(?=\S)")
LONGEST = 150


def bare(heading: str) -> str:
    """A heading in small letters, without its number and the signs behind it."""
    return " ".join(_NUMBER.sub("", heading.strip()).casefold().replace("’", "'").split()).strip(" .:;—–-|*■")


def is_main(text: str) -> bool:
    """Whether a line is the name of a section and nothing else: Results, 2. MATERIALS AND METHODS."""
    return len(text) <= LONGEST and (bare(text) in _MAIN or bare(text.replace("&", "and")) in _MAIN)


def is_references(heading: str) -> bool:
    """Whether the reference list stands below this heading."""
    return bare(heading) in _REFERENCES


def level_of(heading: str) -> int | None:
    """The level that a heading's number tells: 2 for 3.1; None without a number."""
    found = _NUMBER.match(heading.strip())
    return None if found is None or not found[1] else found[1].count(".") + 1


def without_number(heading: str) -> str:
    """A heading without its number."""
    return _NUMBER.sub("", heading.strip())
