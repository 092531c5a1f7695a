"""From bytes to text. XML must declare one of a few encodings; for plain text it may be guessed, with a warning."""

import codecs
import re
from collections.abc import Collection

from charset_normalizer import from_bytes

from annotate.articles.document import UnreadableArticle
from annotate.articles.parsing.limits import KB

ENTITY_DECLARED = "declares an ENTITY, which is refused"
_DECLARED = re.compile(r"<\?xml[^>]{0,200}?\bencoding\s*=\s*[\"']([^\"']{0,60})[\"']")
_META_CHARSET = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([A-Za-z0-9._:-]{1,40})", re.IGNORECASE)
_XML_CODECS = frozenset("utf-8 utf-16 utf-16-le utf-16-be iso8859-1 cp1252 ascii".split())
# Encodings of the WHATWG's list that pages of journals declare; all hold ASCII as it is.
_WEB_CODECS = _XML_CODECS | frozenset(
    [f"iso8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16)]
    + [f"cp{page}" for page in range(1250, 1259)]
    + "koi8-r koi8-u mac-roman gb2312 gbk gb18030 big5 shift_jis cp932 euc_jp euc_kr".split()
)
_SAMPLE_BYTES = 200 * KB  # enough to guess from; charset-normalizer reads slowly
_GUESSABLE = ["cp1252", "cp1250", "cp1251", "mac_roman", "gb18030", "shift_jis", "euc_jp", "euc_kr", "big5"]
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f]")


def xml_codec(head: bytes) -> str:
    """Returns the Python codec of an XML file from its first bytes.

    UnreadableArticle unless it is UTF-8, UTF-16, Latin-1, cp1252 or ASCII: other encodings (UTF-7)
    can hide markup from a check.
    """
    marked = _marked_codec(head)
    text = head[:1024].decode(marked or "latin-1", errors="replace")
    declared = _DECLARED.search(text)
    if declared is None:
        return marked or "utf-8"
    codec = _codec_of(declared[1], _XML_CODECS)
    if codec is None:
        raise UnreadableArticle(
            f"declares the encoding {declared[1]!r}; allowed are UTF-8, UTF-16, ISO-8859-1, windows-1252, ASCII"
        )
    if marked is None and codec.startswith("utf-16"):
        raise UnreadableArticle("declares UTF-16, but is not encoded so")
    return marked or codec


def decode_strictly(content: bytes, codec: str) -> str:
    """Returns the text; UnreadableArticle at the first byte that the encoding does not allow, or at a NUL."""
    try:
        text = content.decode(codec)
    except UnicodeDecodeError as error:
        raise UnreadableArticle(f"is not valid {codec}: byte {error.start:,} cannot be decoded") from error
    return _without_nul(text).removeprefix("\ufeff")


def decode_text(content: bytes) -> tuple[str, str | None]:
    """Returns plain text and, where its encoding had to be guessed, a warning that names the guess.

    UnreadableArticle if it holds NUL or is no text at all.
    """
    codec = _marked_codec(content) or "utf-8"
    try:
        return _checked(content.decode(codec).removeprefix("\ufeff")), None
    except UnicodeDecodeError:
        return _guessed(content)


def decode_html(content: bytes) -> tuple[str, str | None]:
    """Returns a web page's text, and a warning where its encoding had to be guessed.

    The byte order mark names the encoding, else the meta element does, else it is guessed.
    """
    declared = _META_CHARSET.search(content[: 4 * KB])
    if _marked_codec(content) is None and declared:
        name = declared[1].decode("ascii").lower()
        if name in ("utf-7", "utf7"):
            raise UnreadableArticle("declares the encoding 'utf-7', which is refused")
        codec = _codec_of(name, _WEB_CODECS) or "utf-8"
        try:
            return _checked(content.decode("cp1252" if codec == "iso8859-1" else codec)), None
        except UnicodeDecodeError:
            return _guessed(content)
    return decode_text(content)


def _codec_of(name: str, allowed: Collection[str]) -> str | None:
    """Python's name of an encoding; None for one that is not allowed."""
    try:
        codec = codecs.lookup(name.strip()).name
    except (LookupError, ValueError):
        return None
    return codec if codec in allowed else None


def _marked_codec(head: bytes) -> str | None:
    if head.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")):
        raise UnreadableArticle("is encoded as UTF-32; save it as UTF-8")
    if head.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    return {b"<\x00": "utf-16-le", b"\x00<": "utf-16-be"}.get(head[:2])


def _guessed(content: bytes) -> tuple[str, str]:
    plausible = from_bytes(content[:_SAMPLE_BYTES], cp_isolation=_GUESSABLE)
    best = plausible.best()
    for match in plausible:  # where cp1252 fits as well as a rarer encoding, it is the likelier one
        if best and match.encoding == "cp1252" and match.chaos <= best.chaos:
            best = match
    if best is None:
        raise UnreadableArticle("is not text in a known encoding; save it as UTF-8")
    try:
        text = content.decode(best.encoding)
    except UnicodeDecodeError as error:
        raise UnreadableArticle(f"looks like {best.encoding}, but byte {error.start:,} is not") from error
    return _checked(text), f"encoding guessed as {best.encoding}; check letters with accents and Greek"


def _checked(text: str) -> str:
    _without_nul(text)
    if len(_CONTROL.findall(text)) > len(text) // 20:
        raise UnreadableArticle("is not text: it is full of control characters")
    return text


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise UnreadableArticle(f"holds a NUL character at position {text.index(chr(0)):,}")
    return text
