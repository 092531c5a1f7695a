"""Culture media: their names are made of names of people, animals and codes, and name none of them."""

import re

# People whose media every laboratory knows.
_MAKER = (
    r"(?:Dulbecco|Eagle|Iscove|Ham|Leibovitz|Hank|Earle|Grace|Schneider|McCoy|Fischer|Waymouth|William|Puck"
    r"|Luria[-\s]Bertani|Murashige (?:and|&) Skoog|Roswell Park Memorial Institute)s?"
)
_OWNED = r"[A-Z][A-Za-z-]+['’]s?"  # any name of a person, where it owns the medium: Schneider's
_BETWEEN = (
    r"(?:(?:[Mm]odifi(?:ed|cation of)|[Mm]inim(?:al|um)|[Ee]ssential|[Bb]asal|[Cc]omplete|[Ii]nsect|[Cc]ell|[Cc]ulture"
    r"|[Nn]utrient|[Bb]alanced|[A-Z][\w/-]{0,14}(?:['’]s?)?|\d[\w-]{0,5})[\s-]+)"
)
_KIND = r"(?:[Mm]edium|[Mm]edia|[Bb]roth|[Aa]gar|[Mm]ixture|[Ss]alt [Ss]olution)"
_CODE = r"[A-Z]{0,2}-?\d{1,3}[A-Z]?"  # F-12, 5A
# Short forms that name nothing else, and such as are also genes or words, where they need their noun.
_SHORT = (
    r"(?:DMEM|RPMI|IMDM|EMEM|GMEM|SMEM|HBSS|EBSS|(?:α|[Aa]lpha)[-\s]?MEM|Opti-?MEM|Neurobasal(?:-A)?|mTeSR\d?)"
    r"(?:[-\s]?1640)?"
)
_UNSURE = r"(?:MEM|BME|M199|L-?15|F-?1[02]|LB|MS|YPD|YPAD|BHI|TSB)"
_MEDIUM = re.compile(
    rf"(?<![\w-])(?:(?:{_MAKER}(?:['’]s?)?|{_OWNED})[\s-]+{_BETWEEN}{{0,5}}{_KIND}"
    rf"|{_MAKER}['’]s?\s{_CODE}"
    rf"|[Mm]inim(?:um|al) [Ee]ssential {_KIND}(?: Eagle)?|[Mm]edium 199"
    rf"|{_SHORT}(?:/(?:{_MAKER}['’]s?\s)?{_CODE})?(?:\s{_KIND})?|{_UNSURE}\s{_KIND})(?![\w-])"
)


def media_in(text: str) -> list[tuple[int, int]]:
    """The spans of the names of culture media, half-open, in order."""
    return [match.span() for match in _MEDIUM.finditer(text)]
