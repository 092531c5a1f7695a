"""PDF files: letters with their places become lines, columns, paragraphs, sections.

`glyphs.py` reads the file in a process of its own, which `bounded.py` starts and limits; `columns.py` brings the lines
into their order; `blocks.py` joins them to paragraphs; `roles.py` tells what each is; `article.py` puts them together.
"""
