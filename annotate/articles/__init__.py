"""Files and services become stored articles, sentences and document labels.

In: files of any known format (`parsing`), PMIDs, tables of labels. Out: `ParsedEntry`, stored articles,
`document_labels.Labels`, checked table rows.
"""
