"""XML from strangers: no entity is declared, none is expanded, nothing is fetched, size and depth are capped."""

import re
from html.entities import html5
from math import inf

from lxml import etree

from annotate.articles.document import UnreadableArticle
from annotate.articles.parsing.encoding import ENTITY_DECLARED, decode_strictly, xml_codec
from annotate.articles.parsing.limits import LATEX_FORMULAS, XML_ATTRIBUTES, XML_DEPTH, XML_TAGS, XML_TEXT_NODE

SAFE_OPTIONS = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}
_PREDEFINED = frozenset({"amp", "lt", "gt", "quot", "apos"})
# CDATA, comments and instructions are skipped: an entity named in them is plain text. \Z keeps the time linear
_SCAN = re.compile(
    r"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|<\?.*?(?:\?>|\Z)|(<!ENTITY)|&([A-Za-z][A-Za-z0-9.]*);",
    re.DOTALL,
)
# Most files hold none of what `_SCAN` looks for, and this, or a declaration, tells it in a tenth of the time.
_NAMED = re.compile(r"&(?!amp;|lt;|gt;|quot;|apos;)[A-Za-z]")
# Said so that libxml2 looks no further than that: `count(@*)` takes three times as long.
_too_many_attributes = etree.XPath(f"boolean(descendant-or-self::*/@*[{XML_ATTRIBUTES + 1}])")
_too_deep = etree.XPath(f"boolean(descendant-or-self::*/ancestor::*[{XML_DEPTH}])")
_long_text = etree.XPath(f"boolean(descendant-or-self::text()[string-length(.) > {XML_TEXT_NODE}])")


def parse_xml(content: bytes) -> etree._Element:
    """Returns the root of an XML file; named HTML entities such as `&alpha;` are read as characters.

    Raises UnreadableArticle if it is not well formed, declares an entity, uses an unknown one, holds NUL, or exceeds a
    cap of limits.py. The same holds for an encoding other than UTF-8, UTF-16, Latin-1, cp1252 or ASCII.
    """
    text = decode_strictly(content, xml_codec(content[:1024]))
    if text.count("<") > 2 * XML_TAGS:
        raise UnreadableArticle(f"holds more than {XML_TAGS:,} elements")
    if max(2 * text.count("<tex-math"), text.count("$") if "\\" in text else 0) > 2 * LATEX_FORMULAS:
        raise UnreadableArticle(f"holds more than {LATEX_FORMULAS:,} LaTeX formulas")
    parser = etree.XMLParser(encoding="utf-8", **SAFE_OPTIONS)
    try:
        plain = _SCAN.sub(_character, text) if "<!ENTITY" in text or _NAMED.search(text) else text
        root = etree.fromstring(plain.lstrip().encode(), parser)
    except etree.XMLSyntaxError as error:
        raise UnreadableArticle(broken_xml(error)) from error
    except UnicodeEncodeError as error:
        raise UnreadableArticle("holds half of a surrogate pair, which is no character") from error
    refuse_entities(root)
    refuse_excess(root, len(text))
    return root


def broken_xml(error: etree.XMLSyntaxError) -> str:
    """Returns a parser's complaint in one short line."""
    reason = " ".join((error.msg or "no content").split())[:200]
    return f"is not well-formed XML or exceeds the safe parser's limits: {reason}"


def refuse_entities(root: etree._Element) -> None:
    """Raises UnreadableArticle if the DOCTYPE declares any entity (general or parameter)."""
    dtd = root.getroottree().docinfo.internalDTD
    if dtd is not None and next(dtd.iterentities(), None) is not None:
        raise UnreadableArticle(ENTITY_DECLARED)


def refuse_excess(element: etree._Element, characters: float = inf) -> None:
    """Raises UnreadableArticle if the element nests too deep or holds too many attributes or too long a text.

    `characters`: how long any text of it is at most, where that is known.
    """
    if _too_deep(element):
        raise UnreadableArticle(f"nests elements deeper than {XML_DEPTH} levels")
    if _too_many_attributes(element):
        raise UnreadableArticle(f"holds an element of more than {XML_ATTRIBUTES:,} attributes")
    if characters > XML_TEXT_NODE and _long_text(element):
        raise UnreadableArticle(f"holds a single text of more than {XML_TEXT_NODE:,} characters")


def named_character(name: str) -> str:
    """Returns the character(s) of an HTML entity name; UnreadableArticle for an unknown name."""
    if name + ";" not in html5:
        raise UnreadableArticle(f"uses the undeclared entity &{name[:60]};")
    return html5[name + ";"]


def _character(found: re.Match[str]) -> str:
    if found[1]:
        raise UnreadableArticle(ENTITY_DECLARED)
    if not found[2] or found[2] in _PREDEFINED:
        return found[0]
    return "".join(f"&#{ord(character)};" for character in named_character(found[2]))
