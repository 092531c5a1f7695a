"""How a name in the text compares with the vocabulary's spelling, and whether that is enough to believe it."""

import re
from enum import IntEnum

from model.names import LATIN, WORDS

SHORT = 5  # letters: names up to so long without a digit must agree in case
_DASHES = re.compile(r"[\s\-\u00ad\u2010-\u2015\u2212_.'’′]+")
_WORD = re.compile(r"[a-z]+(?:[\s-][a-z]+)*")


# Names of genes and cells that mostly mean something else in a text: methods, reagents, units, diseases, words.
# Written from the pitfalls of gene names that the literature tells (Wei 2015, Leaman 2013), not from any corpus.
NOT_GENES = frozenset(
    """
    PCR RT qPCR DNA RNA cDNA mRNA gDNA ssDNA dsDNA siRNA shRNA miRNA lncRNA sgRNA gRNA crRNA tracrRNA ncRNA rRNA tRNA
    SDS PAGE ELISA FACS HPLC LC GC MS NMR MRI CT PET EEG ECG EMG EM SEM TEM FISH IHC IF WB ChIP GWAS SNP SNPs CNV QTL
    GFP EGFP YFP RFP mCherry dsRed tdTomato BFP CFP lacZ luciferase Cre Flp FLP loxP FRT Cas9 Cas12a Cas13 dCas9 CRISPR
    TALEN TALENs ZFN ZFNs HDR NHEJ PAM AAV AAV9 BAC YAC LTR CMV SV40 EBV HBV HCV HIV HPV HSV RSV VSV SARS MERS
    ATP ADP AMP GTP GDP GMP cAMP cGMP NAD NADH NADPH FAD CoA ROS NO LPS PMA TPA BSA FBS FCS PBS DMSO EDTA EGTA HEPES
    DMEM RPMI DAPI PI BrdU EdU MTT TUNEL ANOVA SD SEM CI OR HR RR AUC ROC BMI BP HDL LDL VLDL HbA1c
    WT KO KI KD DKO cKO ES iPS iPSC iPSCs ESC ESCs MEF MEFs PBMC PBMCs MSC MSCs HSC HSCs NK CNS PNS BBB ER TGN UTR ORF
    USA UK EU WHO FDA NIH NCBI ICU COPD COVID AIDS CAD CHD CKD CVD CRC HCC NSCLC SCLC AML ALL CLL CML MDS MM ALS AD PD
    HD MS SLE RA IBD UC CD T1D T2D T2DM DM PCOS ADHD ASD PTSD OCD CF SMA DMD AMD GBM ESCC PDAC TNBC
    II III IV VI VII VIII IX AND THE NOT FOR ALL CAN WAS SHE HAS IMPACT TRAP CLOCK REST CAT MICE RAT AIM GAS BAD BID
    MAX MET ACT END LARGE NODAL SET STEP TANK TASK FACT FAST FAT FOR GAP HIT HOT KEY KIT LAG LAP MAIL MARS MASS MICE
    NET NOV PAGE PALM PEAR PIN POLE RAPT RING SALL SHOT SPARC SPIN TAP TIED TOP TRIO WARS WAVE CELL LIGHT CAMP CAP COPE
    Ala Arg Asn Asp Cys Gln Glu Gly His Ile Leu Lys Met Phe Pro Ser Thr Trp Tyr Val
    antigen insulin-dependent collagenase protease proteases kinase kinases receptor receptors peptide peptides membrane
    """.split()
)  # fmt: skip


_GREEK = re.compile(rf"[{''.join(LATIN)}]|(?<=[A-Za-z\d])(?:alpha|beta|gamma|delta|epsilon|kappa)(?=\d|B|$)")


class Agreement(IntEnum):
    """From the same letters down to names that fall together only once folded."""

    FOLDED = 0
    CASE_OF_ANOTHER_ORGANISM = 1  # TRP53 for Trp53: all capitals, or a capital and small letters
    SAME = 2


def agreement(text: str, spelling: str) -> Agreement:
    """How far a name in a text agrees with a spelling: dashes and blanks do not count, case does.

    A Greek letter, or its name behind a symbol, may stand for the Latin capital of symbols: IFN-γ and IFNG.
    """
    mine, its = _DASHES.sub("", text), _DASHES.sub("", spelling)
    return max(_as_written(mine, its), _as_written(_latin(mine), _latin(its)))


def _latin(name: str) -> str:
    return _GREEK.sub(lambda match: (LATIN.get(match[0]) or WORDS[match[0]]).upper(), name)


def _as_written(mine: str, its: str) -> Agreement:
    if mine == its:
        return Agreement.SAME
    if mine.lower() == its.lower() and mine in (its.upper(), its.capitalize()):
        return Agreement.CASE_OF_ANOTHER_ORGANISM
    return Agreement.FOLDED


def is_short(text: str) -> bool:
    """True for a name of at most SHORT letters and no digit, which may well be a word."""
    letters = [letter for letter in text if letter.isalpha()]
    return len(letters) <= SHORT and not any(letter.isdigit() for letter in text)


def is_plain_word(text: str) -> bool:
    """True for nothing but small letters, as words are written."""
    return _WORD.fullmatch(text) is not None
