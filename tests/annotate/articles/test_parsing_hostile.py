"""Files made to do harm, or only broken: each is refused with its reason, or read without its poison."""

import gzip
import io
import stat
import struct
import zipfile
from pathlib import Path

import pytest

from annotate.articles.parsing import ParsedEntry, from_bytes, limits, read_articles, streams
from annotate.articles.parsing import archive as archive_module
from tests.support.hostile import BODY, jats, zipped


def only(name: str, content: bytes) -> ParsedEntry:
    """Returns the one entry that reading the content yields."""
    entries = list(from_bytes(name, content))
    assert len(entries) == 1, entries
    return entries[0]


def texts(entry: ParsedEntry) -> list[str]:
    """Returns the paragraphs of an entry that must hold an article."""
    assert entry.error is None and entry.article is not None, entry.error
    return [paragraph.text for _, _, paragraph in entry.article.paragraphs()]


def test_entity_values_never_reach_an_article() -> None:
    secret = jats("<p>&x;</p>", '<!DOCTYPE article [<!ENTITY x SYSTEM "file:///etc/passwd">]>')
    assert "root:" not in repr(only("paper.xml", secret))


def test_an_external_doctype_is_accepted_and_not_fetched() -> None:
    prolog = '<!DOCTYPE article PUBLIC "-//NLM//DTD JATS 1.2//EN" "http://127.0.0.1:9/jats.dtd">'
    assert texts(only("a.nxml", jats("<p>Kept.</p>", prolog))) == ["Kept."]


@pytest.mark.parametrize("prolog", ["", '<!DOCTYPE article SYSTEM "jats.dtd">'])
def test_html_entities_are_read_as_characters_and_cdata_is_left_alone(prolog: str) -> None:
    content = jats("<p>TNF-&alpha; &lt; 5&nbsp;<![CDATA[&beta; <b>]]></p>", prolog)
    assert texts(only("a.xml", content)) == ["TNF-α < 5\u00a0&beta; <b>"]


def test_xinclude_is_not_expanded() -> None:
    include = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="/etc/passwd" parse="text"/>'
    assert texts(only("a.xml", jats(f"<p>Before {include} after.</p>"))) == ["Before after."]


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text.encode("utf-8-sig"),
        lambda text: text.encode("utf-16"),
        lambda text: text.encode("utf-16-le"),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.replace("\n", "\r").encode(),
        lambda text: ('<?xml version="1.0" encoding="utf-16"?>' + text).encode("utf-16"),
    ],
)
def test_encodings_and_line_ends_make_no_difference(encode) -> None:
    text = jats("<p>One β\nsentence.</p>").decode()
    assert texts(only("a.xml", encode(text))) == ["One β sentence."]


@pytest.mark.parametrize(("declared", "codec"), [("ISO-8859-1", "latin-1"), ("windows-1252", "cp1252")])
def test_the_western_encodings_are_read(declared: str, codec: str) -> None:
    text = f'<?xml version="1.0" encoding="{declared}"?>' + jats("<p>naïve ±5</p>").decode()
    assert texts(only("a.xml", text.encode(codec))) == ["naïve ±5"]


def test_text_with_nul_is_refused_and_other_controls_are_stripped() -> None:
    assert "NUL" in (only("a.txt", b"Title\n\na\0b").error or "")
    assert texts(only("a.txt", "Title\n\nOne\x01 two\x9f three.".encode())) == ["One two three."]


@pytest.mark.parametrize(
    ("body", "warning"),
    [("<abstract><p>Short.</p></abstract>", "abstract only: no body text"), ("", "no abstract and no body text")],
)
def test_an_article_without_body_is_accepted_with_a_warning(body: str, warning: str) -> None:
    content = f"<article>{BODY.replace('</article-meta>', body + '</article-meta>')}</article>".encode()
    entry = only("a.xml", content)
    assert entry.article is not None and warning in entry.article.warnings


def test_a_zip_bomb_is_refused_by_what_it_inflates_to() -> None:
    bomb = zipped({"bomb.xml": b"<article>" + b" " * 5_000_000, "good.xml": jats("<p>Good.</p>")})
    bad, good = from_bytes("a.zip", bomb)
    assert "zip bomb" in (bad.error or "")
    assert (good.source, texts(good)) == ("a.zip › good.xml", ["Good."])


def test_a_zip_that_declares_a_false_size_is_still_counted() -> None:
    content = zipped({"bomb.xml": b"<article>" + b" " * 5_000_000})
    at = content.rfind(b"PK\x01\x02")
    lying = content[: at + 24] + struct.pack("<L", 100) + content[at + 28 :]
    (entry,) = from_bytes("a.zip", lying)
    assert entry.error and entry.article is None


def test_an_archive_over_its_total_is_left_with_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_module, "ZIP_TOTAL_BYTES", 1000)
    content = zipped({f"{n}.xml": jats(f"<p>{n} {'words ' * 50}</p>") for n in range(9)})
    entries = list(from_bytes("a.zip", content))
    assert [entry.error is None for entry in entries] == [True, True, False]
    assert "rest is unread" in (entries[-1].error or "")


def test_a_zip_whose_directory_would_fill_the_memory_is_refused_before_it_is_loaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(streams, "ZIP_DIRECTORY_BYTES", 100)
    monkeypatch.setattr(archive_module, "ZipFile", None)
    entries = {f"{number}.xml": b"" for number in range(3)}
    assert "100,000 entries" in (only("a.zip", zipped(entries)).error or "")


def test_zips_and_office_files_inside_a_zip_are_refused() -> None:
    inner = zipped({"a.xml": jats("<p>x</p>")})
    outer = zipped({"in.zip": inner, "renamed.xml": inner, "ok.xml": jats("<p>y</p>")}, zipfile.ZIP_STORED)
    first, second, third = from_bytes("a.zip", outer)
    assert "inside a zip" in (first.error or "") and "inside a zip" in (second.error or "")
    assert texts(third) == ["y"]
    assert "inside a gzip" in (only("a.zip.gz", gzip.compress(inner)).error or "")


def test_links_and_encrypted_members_are_refused() -> None:
    link = zipfile.ZipInfo("link.xml")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(link, "/etc/passwd")
        archive.writestr("secret.xml", b"<article/>")
    content = bytearray(buffer.getvalue())
    at = content.rfind(b"PK\x01\x02")
    content[at + 8] |= 1
    first, second = from_bytes("a.zip", bytes(content))
    assert "symbolic link" in (first.error or "")
    assert "encrypted" in (second.error or "")


@pytest.mark.parametrize(
    "name", ["../../etc/x.xml", "/abs.xml", "C:\\x.xml", "CON.xml", "n" * 400 + ".xml", "a\u202elmx.xml"]
)
def test_member_names_are_shown_and_never_opened(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped({name: jats("<p>x</p>")}))
    (entry,) = read_articles(tmp_path / "a.zip")
    assert texts(entry) == ["x"]
    assert "\u202e" not in entry.source and len(entry.source) <= 220
    assert [path.name for path in tmp_path.iterdir()] == ["a.zip"]


@pytest.mark.parametrize("content", [b"PK\x03\x04 rubbish", zipped({"a.xml": b"<a/>"})[:-30]], ids=["rubbish", "cut"])
def test_a_damaged_zip_is_refused(content: bytes) -> None:
    assert "zip" in (only("a.zip", content).error or "")


def test_a_zip_member_with_a_wrong_checksum_is_refused_and_the_next_is_read() -> None:
    content = bytearray(zipped({"a.xml": jats("<p>x</p>"), "b.xml": jats("<p>y</p>")}, zipfile.ZIP_STORED))
    content[content.index(b"<p>x") + 3] = ord("z")
    bad, good = from_bytes("a.zip", bytes(content))
    assert "damaged" in (bad.error or "") and texts(good) == ["y"]


def test_members_without_a_name_or_with_a_false_place_in_the_file_stop_no_other() -> None:
    content = bytearray(zipped({"a.xml": jats("<p>x</p>"), "b.xml": jats("<p>y</p>")}))
    at = content.index(b"PK\x01\x02")
    content[at + 42 : at + 46] = struct.pack("<L", 2**31)
    bad, good = from_bytes("a.zip", bytes(content))
    assert bad.error and texts(good) == ["y"]
    nameless = zipped({"Q": b"x"}).replace(b"Q", b"\0")
    assert "known kind" in (only("a.zip", nameless).error or "")


def test_gzip_bombs_and_damaged_gzips_are_refused() -> None:
    bomb = gzip.compress(jats("<p>" + "a b " * (15 * limits.MB) + "</p>"), 1)
    assert "50 MB" in (only("bomb.xml.gz", bomb).error or "")
    assert "damaged" in (only("cut.xml.gz", gzip.compress(jats("<p>x</p>"))[:-12]).error or "")
    twice = gzip.compress(gzip.compress(jats("<p>x</p>")))
    assert "gzip inside a gzip" in (only("twice.xml.gz", twice).error or "")


def test_awkward_text_survives_exactly() -> None:
    exact = "p<0.05 & x>3, Δψ, e\u0301, 🧬, \u05d0\u05d1, zero\u200bwidth, \u202frange"
    escaped = exact.replace("&", "&amp;").replace("<", "&lt;")
    entry = only("a.xml", jats(f"<p>{escaped}, <i>BRCA1</i> H<sub>2</sub>O</p>"))
    assert texts(entry) == [exact + ", BRCA1 H2O"]
    assert texts(only("a.txt", f"Title\n\n{exact} <i>BRCA1</i>".encode())) == [exact + " <i>BRCA1</i>"]


def test_a_missing_file_or_a_folder_is_an_error_entry(tmp_path: Path) -> None:
    for path in (tmp_path / "none.xml", tmp_path):
        (entry,) = read_articles(path)
        assert entry.error == "is not a file that can be read"
