"""The API: what the pages do, for programs that bear a person's token. FastAPI turns requests into calls and documents
them; what may be done and seen is decided where it is for the pages. Takes requests, gives JSON and files.
"""
