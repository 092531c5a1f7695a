"""A made-up corpus for tests: small JATS articles that edit one gene in one cell each."""

from pathlib import Path

GENES = ("TP53", "KRAS", "EGFR", "BRCA1", "MYC")
CELLS = ("HeLa", "A549", "HEK293T")
ARTICLE = """<?xml version="1.0" encoding="UTF-8"?>
<article xmlns:xlink="http://www.w3.org/1999/xlink" article-type="research-article"><front>
<journal-meta><journal-title-group><journal-title>Journal of Tests</journal-title>
</journal-title-group></journal-meta>
<article-meta><article-id pub-id-type="pmid">{pmid}</article-id>
<article-id pub-id-type="pmc">PMC{pmid}</article-id>
<title-group><article-title>Loss of {gene} in {cell} cells, study {number}</article-title></title-group>
<pub-date pub-type="epub"><year>2021</year></pub-date>
<abstract><p>The protein {gene} is known in cancer. Here we generated a {gene} knockout in {cell} cells using
CRISPR-Cas9.
The assay was measured in buffer.</p></abstract></article-meta></front>
<body><sec><title>Introduction</title><p>{gene} was previously reported in patients with cancer. Expression of the gene
increased by 3.5% (p&lt;0.05).</p></sec>
<sec><title>Results</title><p>We edited {gene} in {cell} cells and the deletion was known from the assay. Growth of the
cells decreased. Results were measured {number} times with the buffer.</p>
<p>Protein expression was increased in patients. The study of cancer cells was incubated in wash buffer.</p></sec>
</body></article>"""
KEY = ("Here we generated", "We edited")


def write_corpus(folder: Path, articles: int) -> list[Path]:
    """Writes that many JATS files; PMIDs count from 9000001."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number in range(articles):
        gene, cell = GENES[number % len(GENES)], CELLS[number % len(CELLS)]
        paths.append(folder / f"article{number}.xml")
        paths[-1].write_text(ARTICLE.format(pmid=9000001 + number, gene=gene, cell=cell, number=number))
    return paths


def labels_csv(path: Path, articles: int) -> Path:
    """Writes the document labels of that corpus."""
    rows = [f"{9000001 + n},{GENES[n % len(GENES)]},{CELLS[n % len(CELLS)]},KO" for n in range(articles)]
    path.write_text("pmid,genes,cells,edit\n" + "\n".join(rows) + "\n")
    return path
