"""One article's identifiers, as they are stored and as people write them in tables."""

STORED = {"pmid": "123", "pmcid": "PMC123", "doi": "10.1371/journal.pone.0001"}
AS_PEOPLE_WRITE_THEM = [
    ("pmid", "123"),
    ("pmid", " 123 "),
    ("pmid", "123.0"),  # a number, as a spreadsheet saves it
    ("pmid", "pmid:123"),
    ("pmid", "PMID: 123"),
    ("pmcid", "PMC123"),
    ("pmcid", "pmc123"),
    ("pmcid", "123"),
    ("pmcid", "123.0"),
    ("pmcid", "PMC123.2"),  # the second version of the article
    ("pmcid", "pmcid:PMC123"),
    ("pmcid", "PMCID: PMC123.1"),
    ("doi", "10.1371/journal.pone.0001"),
    ("doi", "10.1371/JOURNAL.PONE.0001"),
    ("doi", "doi:10.1371/journal.pone.0001"),
    ("doi", "DOI: 10.1371/Journal.Pone.0001"),
    ("doi", "https://doi.org/10.1371/journal.pone.0001"),
    ("doi", "doi: https://doi.org/10.1371/journal.pone.0001"),
    ("doi", "HTTPS://DOI.ORG/10.1371/JOURNAL.PONE.0001"),
    ("doi", "https://dx.doi.org/10.1371/journal.pone.0001"),
    ("doi", "http://dx.doi.org/10.1371/journal.pone.0001"),
    ("doi", "https://www.doi.org/10.1371/journal.pone.0001"),
    ("doi", "doi.org/10.1371/journal.pone.0001"),
    ("doi", "dx.doi.org/10.1371/journal.pone.0001"),
]
