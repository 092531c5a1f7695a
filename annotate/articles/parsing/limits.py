"""What a file may cost before it is refused. Real articles stay far below every figure here."""

KB = 1024
MB = 1024 * KB
GB = 1024 * MB

HEAD_BYTES = 64 * KB  # read to tell the format; the prolog of a real article is under 1 KB
CHUNK_BYTES = 256 * KB

ARTICLE_BYTES = 50 * MB  # one JATS file, or a set of them, once inflated
TEXT_BYTES = 20 * MB  # every other kind: HTML, text, Markdown, CSV, BioC JSON, PubTator
MEDLINE_BYTES = 1 * GB  # a PubMed baseline file is 150 to 250 MB once inflated
CITATION_BYTES = 10 * MB  # between the ends of two citations; the longest author list needs under 2 MB

XML_TAGS = 1_000_000  # libxml2 needs about 120 bytes a node, so 50 MB of `<p/>` would need 1.5 GB
XML_DEPTH = 100  # the articles measured reach 30; the readers recurse a few frames a level
XML_ATTRIBUTES = 1_000  # on one element
HTML_TAGS = 150_000  # Beautiful Soup needs 2 kB each; the longest pages of PubMed Central hold about 50,000
TEXT_LINES = 500_000  # of text, Markdown or CSV; each may become a paragraph of some 300 bytes
JSON_PARTS = 1_000_000  # objects and lists, of some 200 bytes each once read
CITATION_ENTITIES = 10_000

DOCX_BYTES = 50 * MB  # the pictures in it are not unpacked
PDF_BYTES = 50 * MB  # articles with many photographs reach 30 MB
PDF_PAGES = 500  # an article has 5 to 60, its supplement some hundred
PDF_CHARACTERS = 3_000_000  # letters on all pages; 500 pages of small print hold 2.5 million
PDF_PAGE_LINES = 5_000  # on one page, labels in figures counted: bringing them into order takes time by the square
PDF_LINES = 100_000  # on all pages; 500 of text in small print hold 75,000
PDF_SECONDS = 60  # of work; a page takes about 20 ms
PDF_MEMORY_MB = 1_024  # of the process that reads it, which holds the file and what it unpacks

XML_TEXT_NODE = 10 * MB  # libxml2's own limit (huge_tree=False), checked again because some longer texts pass it

ZIP_ENTRIES = 100_000
ZIP_DIRECTORY_BYTES = 16 * MB  # zipfile holds all of it in memory, at about ten times its size
ZIP_TOTAL_BYTES = 2 * GB
ZIP_RATIO = 100  # inflated to packed bytes: text reaches 3 to 20, a bomb of zeros 1,024
ZIP_RATIO_FROM_BYTES = 1 * MB

NAME_CHARACTERS = 200
ERRORS_SHOWN = 20
LATEX_CHARACTERS = 5_000
LATEX_FORMULAS = 20_000  # in one file; each takes about 0.1 ms to turn into text

PATTERN_CHARACTERS = 1_000  # of a regular expression from a person
PATTERN_SECONDS = 2.0  # for one title and abstract; an ordinary pattern takes microseconds
