"""MathML as readable text: indices and powers become marks, fractions and roots get their signs."""

from lxml import etree

from annotate.articles.parsing.latex import latex_to_text
from annotate.articles.parsing.text_builder import TextBuilder

_SCRIPTS = {"msub": ("", "sub"), "msup": ("", "sup"), "msubsup": ("", "sub", "sup")}
_DROPPED = frozenset({"annotation", "annotation-xml", "maligngroup", "malignmark"})
_LEAVES = frozenset({"mi", "mn", "mo", "mtext", "ms"})


def write_math(element: etree._Element, run: TextBuilder) -> None:
    """Appends a formula to the run. Every token (mi, mn, mo, mtext) appears once and in order."""
    name = etree.QName(element).localname
    children = [child for child in element if isinstance(child.tag, str)]
    if name in _LEAVES:
        text = "".join(element.itertext())
        if text.startswith("\\"):  # a converter of LaTeX left a command that it did not know
            text = latex_to_text(text)
        run.add(text if name == "mtext" else text.strip(" \t\r\n"))
    elif name in _SCRIPTS:
        for child, style in zip(children, (*_SCRIPTS[name], *[""] * len(children)), strict=False):
            with run.styled(style):
                write_math(child, run)
    elif name == "mfrac":
        for position, child in enumerate(children):
            run.add("/" if position else None)
            _write_grouped([child], run)
    elif name in ("msqrt", "mroot"):
        run.add("√")
        _write_grouped(children, run)
    elif name == "mfenced":
        separator = element.get("separators", ",").strip()[:1]
        run.add(element.get("open", "("))
        for position, child in enumerate(children):
            run.add(separator if position else None)
            write_math(child, run)
        run.add(element.get("close", ")"))
    elif name in ("mtd", "mtr", "mlabeledtr"):
        _write_all(children, run)
        run.add(" ")
    elif name not in _DROPPED:
        _write_all(children, run)


def _write_all(children: list[etree._Element], run: TextBuilder) -> None:
    for child in children:
        write_math(child, run)


def _write_grouped(children: list[etree._Element], run: TextBuilder) -> None:
    tokens = sum(1 for child in children for _ in child.iter(*(f"{{*}}{leaf}" for leaf in _LEAVES)))
    run.add("(" if tokens > 1 else "")
    _write_all(children, run)
    run.add(")" if tokens > 1 else "")
