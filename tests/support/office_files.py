"""Word documents and small PDF files, made for tests."""

import io
import zlib

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from tests.support.hostile import zipped

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
STYLES = (
    '<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/><w:basedOn w:val="H1"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Own"><w:name w:val="My head"/><w:basedOn w:val="H1"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="C"><w:name w:val="caption"/></w:style>'
)


def run(text: str, properties: str = "") -> str:
    """A run of text; `properties`: the elements that format it."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def para(content: str, style: str = "", properties: str = "") -> str:
    """A paragraph of runs, or of plain text."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    inner = content if content.startswith("<") else run(content)
    return f"<w:p><w:pPr>{named}{properties}</w:pPr>{inner}</w:p>"


def docx(*blocks: str, styles: str = STYLES) -> bytes:
    """A Word document of these blocks."""
    return zipped(
        {
            "[Content_Types].xml": b"<Types/>",
            "word/document.xml": f"<w:document {_W}><w:body>{''.join(blocks)}</w:body></w:document>".encode(),
            "word/styles.xml": f"<w:styles {_W}>{styles}</w:styles>".encode(),
        }
    )


def pdf(*pages: list[tuple[float, float, float, str]], password: str = "", font: str = "Helvetica") -> bytes:
    """A PDF of these pages, each of (left, bottom, size, text); to be opened with a password where one is given."""
    buffer = io.BytesIO()
    encryption = StandardEncryption(password, ownerPassword="owner") if password else None
    canvas = Canvas(buffer, encrypt=encryption, invariant=1, pageCompression=0)
    for page in pages:
        for left, bottom, size, text in page:
            canvas.setFont(font, size)
            canvas.drawString(left, bottom, text)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def unpacking_pdf(megabytes: int) -> bytes:
    """A PDF whose only page is drawn by a stream of so many megabytes of white space, packed twice."""
    white, packer = b" " * 1_000_000, zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    packed = packer.compress(white) + packer.flush(zlib.Z_FULL_FLUSH)  # means the same wherever it stands
    check = 1
    for _ in range(megabytes):
        check = zlib.adler32(white, check)
    once = b"\x78\xda" + packed * megabytes + packer.flush() + check.to_bytes(4)
    stream = zlib.compress(once, 9)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<<>>>>",
        b"<</Filter[/FlateDecode/FlateDecode]/Length %d>>stream\n%s\nendstream" % (len(stream), stream),
    ]
    written = b"%PDF-1.4\n"
    places = []
    for number, one in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj%s endobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 5\n0000000000 65535 f \n"
    return written + head + table + b"trailer<</Root 1 0 R/Size 5>>\nstartxref\n%d\n%%%%EOF" % len(written)
