"""The gold as annotated articles, in the formats of other tools: each a function from articles to bytes.

In: the rows of the gold, the text and the recognised entities of their articles. Out: files for BioC, PubAnnotation,
Web Annotation, brat, UIMA (INCEpTION), Prodigy and Hugging Face.
"""
