"""One entry of a file of a reference manager, and the article that it makes where it holds an abstract."""

from dataclasses import dataclass

from annotate.articles.document import Article, Section, SectionKind
from annotate.articles.parsing.plaintext import clean_line, paragraphs_of


@dataclass(frozen=True, slots=True)
class Entry:
    """What a file says of one work; the identifiers are in the form in which articles are stored."""

    title: str
    abstract: str = ""
    pmid: str | None = None
    pmcid: str | None = None
    doi: str | None = None
    journal: str = ""
    year: int | None = None

    @property
    def identifier(self) -> str | None:
        """The best one: PMID, PMCID or DOI."""
        return self.pmid or self.pmcid or self.doi

    def article(self, title: str) -> Article | None:
        """The title and the abstract as an article, under this title where the entry has none; None without an
        abstract."""
        paragraphs = paragraphs_of(self.abstract)
        if not paragraphs:
            return None
        return Article(
            title=clean_line(self.title) or title,
            pmid=self.pmid,
            pmcid=self.pmcid,
            doi=self.doi,
            journal=clean_line(self.journal) or None,
            year=self.year,
            sections=(Section("Abstract", SectionKind.ABSTRACT, paragraphs),),
        )
