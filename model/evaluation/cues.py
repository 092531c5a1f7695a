"""What a citing sentence says of the work that it cites, by turns of phrase: agreement, contrast, praise, doubt.

In: sentences and the place of the citation in question. Out: numbers. The words are a list of our own of what authors
of any field say; a star stands for any ending.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

Span = tuple[int, int]

CUES: Mapping[str, str] = {
    "agreement": "consistent with, consistently with, consistent finding*, in agreement, in good agreement, in close "
    "agreement, in full agreement, agree, agrees, agreed, agreement with, in line with, along the lines, in accord, "
    "in accordance, accord with, accords with, concordan*, in keeping with, compatible with, in harmony, similar*, "
    "comparable, confirm*, corroborat*, support, supports, supported, supporting, supportive, reinforc*, replicat*, "
    "in parallel, likewise, match, matches, matched, resembl*, as reported, as previously reported, as has been "
    "reported, as shown, as previously shown, as described, as expected, as suggested, also found, also reported, "
    "also observed, also showed, also shown, also demonstrated, the same finding*, the same result*, the same "
    "conclusion*, the same trend*, validat*, verif*, well established, well documented, well known, well accepted, "
    "well recogni*, well-established, well-documented, well-known, well-accepted, consensus",
    "contrast": "in contrast, by contrast, contrast, contrasts, contrasted, contrasting, contrary, unlike, differ "
    "from, differs from, differed from, differing from, different from, discrepan*, inconsisten*, conflict*, "
    "contradict*, disagree*, at odds, opposite, opposed, not consistent, not been consistent, not confirmed, not been "
    "confirmed, not supported, not been supported, not replicated, not been replicated, not agree, at variance, "
    "conversely, dissimilar, refut*, challenge, challenged, challenges, question, questioned, questions, questionable",
    "concession": "however, although, though, despite, whereas, while, but, on the other hand, nevertheless, "
    "nonetheless, yet, instead, rather, in spite, even if, albeit, only, still",
    "doubt": "controver*, debat*, unclear, mixed, inconclusive, equivocal, uncertain*, unknown, remain*, ambiguous, "
    "variable, vary, varies, varied, contentious, not clear, not known, not established, not understood, scarce, "
    "sparse, few, paucity",
    "negation": "no, not, n't, neither, nor, without, never, none, cannot, unable, absence of, fail, fails, failed, "
    "failing, failure, lack, lacks, lacked, lacking, little",
    "no effect": "no difference*, no significant *, no statistically *, no clinically *, no clear *, no effect*, no "
    "benefit*, no improvement*, no change*, no association*, no evidence, no reduction*, no increase*, no "
    "correlation*, no advantage*, no impact, no relationship*, did not *, does not *, do not *, was not *, were not "
    "*, is not *, are not *, has not *, have not *, non-significan*, nonsignifican*, not significan*, not "
    "statistically *, ineffective, unchanged, failed to, no longer, fail to, fails to, failure to",
    "praise": "effective*, efficac*, improv*, benefi*, superior*, better, best, success*, significant, significantly, "
    "safe, safely, safety, well tolerated, well-tolerated, tolerab*, useful*, reliab*, valuable, promising, potent*, "
    "advantag*, protect*, robust*, sensitiv*, accura*, feasib*, good, excellent, favorabl*, favourabl*, gold "
    "standard, widely used, recommend*, strong, strongly, stronger, high, highly, important, importantly, valid, "
    "validity, acceptab*, convincing, clear, clearly, evidence",
    "lower": "reduc*, decreas*, lower*, fewer, less, declin*, prevent*, attenuat*, inhibit*, suppress*, diminish*, "
    "shorter",
    "higher": "increas*, greater, larger, higher, more, elevat*, enhanc*, rais*, rise, rises, risen, longer, faster",
    "blame": "limit*, problem*, poor, poorly, weak*, bias*, small sample*, small number*, small stud*, small trial*, "
    "adverse*, harm*, toxic*, worse*, inferior*, side effect*, side-effect*, flaw*, difficult*, concern*, "
    "inadequate*, insufficien*, underpower*, underestimat*, overestimat*, disadvantag*, cost, costs, costly, "
    "critici*, caution*, disappoint*, burden*, confound*, shortcoming*, drawback*, modest, unfortunately, low "
    "quality, low power, low rate",
    "hedge": "may, might, could, possibl*, suggest*, appear, appears, appeared, seem, seems, seemed, likely, probabl*, "
    "perhaps, potential*, hypothes*, think, thought, believed",
    "report": "report, reports, reported, found, show, shows, shown, showed, demonstrat*, observ*, noted, notes, "
    "describ*, reveal*, indicat*, identif*, conclud*, documented",
    "study": "study, studies, trial, trials, author, authors, et al, review, reviews, meta-analysis, meta-analyses, "
    "metaanalys*, investigator*, investigation*, colleagues, coworkers, co-workers, literature, report, reports, "
    "research*, experiment, experiments, work, findings, results, data",
    "earlier": "previous, previously, earlier, prior, recent, recently, past, other, others, several, many, numerous, "
    "existing, published, first, historical",
    "own work": "our, we, us, this study, this trial, this report, this finding, this result, this paper, this work, "
    "this analysis, present study, present trial, present findings, present results, present data, current study, "
    "current trial, current findings, current results, current data, these findings, these results, these data, here",
    "method": "using, use, used, according to, as described, described by, method*, questionnaire*, scale, score*, "
    "defin*, calculat*, measur*, assess*, developed by, developed for, version, guideline*, criteria, criterion, "
    "software, protocol*, procedure*, techniqu*, adapted, modified, instrument*, formula, test, tested, analysed, "
    "analyzed, performed, sample size, randomi*, detail, details, elsewhere, based on, inventory, index, checklist, "
    "model*",
    "fact": "is a, are a, is an, is the, common*, prevalen*, inciden*, million, worldwide, estimated, leading, cause, "
    "causes, caused, risk factor*, associated with, responsible, known to, known as, play, plays, include, includes, "
    "included, such as, approximately, about, per cent, percent, rate, rates, range, ranges, ranged, annual*",
    "comparison": "than, compared, versus, vs, relative to, in comparison, difference*",
    "reason": "because, due to, explain*, therefore, thus, hence, reason*, attribut*, since, consequently, as a "
    "result, account for, accounts for, accounted for",
    "need": "need, needs, needed, require, requires, required, should, must, warrant*, further, future, necessary, "
    "call for, calls for, called for",
}
# Those that a negation before them turns round.
TURNED = ("agreement", "praise", "report", "lower", "higher", "method", "no effect", "contrast")
# Those that say more together than each by itself.
TOGETHER = (("own work", "agreement"), ("own work", "contrast"), ("study", "no effect"))
NEGATED_WITHIN, NEAR_STEP, FAR, NOWHERE = 25, 8, 40, 400  # characters, but FAR in steps
OPENING = {
    "contrast": "However, Although, But, In contrast, Contrary, Unlike, Despite, While, Whereas, Nevertheless, "
    "Conversely",
    "agreement": "Similar*, Consistent*, In agreement, In line, In accord*, This is consistent, This is in, These "
    "results, These findings, Our, Likewise, Indeed",
}
_CITATION = re.compile(r"\[[\s\d,\-–;]+\]")
_CLAUSE = re.compile(r";|, (?:but|whereas|while|although|however|and)\b|\b(?:but|whereas|although)\b", re.IGNORECASE)
_NEGATION = re.compile(r"\b(no|not|neither|nor|without|never|cannot|fail\w*|lack\w*)\b|n't\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def _any_of(phrases: str) -> str:
    """A pattern of any of these; the longer ones first."""
    listed = sorted(phrases.split(", "), key=len, reverse=True)
    return "(?:" + "|".join(re.escape(each).replace(r"\*", r"\w*").replace(r"\ ", r"\s+") for each in listed) + ")"


_PATTERNS = {name: re.compile(rf"(?<!\w){_any_of(phrases)}(?!\w)", re.IGNORECASE) for name, phrases in CUES.items()}
_PATTERNS["passive"] = re.compile(r"\b(?:was|were|(?:has|have|had) been) \w+(?:ed|wn|nd|ne)\b", re.IGNORECASE)
_PATTERNS["number"] = re.compile(rf"(?<!\w){_NUMBER.pattern}(?!\w)")
_OPENINGS = [re.compile(_any_of(phrases)) for phrases in OPENING.values()]


def cue_rows(sentences: Sequence[str], citations: Sequence[Span]) -> np.ndarray:
    """What the cues tell of a citation of each sentence, given as half-open characters: float64, shape (n, cues).

    Of each kind of cue, these numbers: all, before and behind the citation up to the next one, in its clause, and
    negated. Also how near the nearest is, and where the first is. Then which kinds stand together, and where the
    citation stands.
    """
    return np.array([_row(each, span) for each, span in zip(sentences, citations, strict=True)], dtype=np.float64)


def _row(sentence: str, citation: Span) -> list[float]:
    others = [match.span() for match in _CITATION.finditer(sentence)]
    start, end = citation
    part = _between(citation, others, len(sentence))
    breaks = [match.start() for match in _CLAUSE.finditer(sentence)]
    clause = (max([part[0], *(at for at in breaks if at < start)]), min([part[1], *(at for at in breaks if at >= end)]))
    row: list[float] = []
    counts = {}
    for name, pattern in _PATTERNS.items():
        found = [span for span in (match.span() for match in pattern.finditer(sentence)) if not _within(span, others)]
        counts[name] = len(found)
        row += _of_one_cue(found, citation, part, clause)
        if name in TURNED:
            row.append(sum(bool(_NEGATION.search(sentence[max(0, at - NEGATED_WITHIN) : at])) for at, _ in found))
    row += [counts[one] * counts[other] for one, other in TOGETHER]
    return [*row, *_place(sentence, citation, part, others)]


def _between(citation: Span, others: Iterable[Span], length: int) -> Span:
    """From the end of the citation before to the beginning of the next."""
    spans = list(others)
    start, end = citation
    return max([0, *(last for _, last in spans if last <= start)]), min(
        [length, *(first for first, _ in spans if first >= end)]
    )


def _within(span: Span, others: Iterable[Span]) -> bool:
    return any(first <= span[0] < last for first, last in others)


def _of_one_cue(found: Sequence[Span], citation: Span, part: Span, clause: Span) -> list[float]:
    start, end = citation
    starts = [first for first, _ in found]
    near = [(first - start if first > start else start - last) // NEAR_STEP for first, last in found]
    return [
        len(found),
        sum(part[0] <= at < start for at in starts),
        sum(end <= at < part[1] for at in starts),
        sum(clause[0] <= at < clause[1] for at in starts),
        min([*near, FAR]),
        min([*starts, NOWHERE]),
    ]


def _place(sentence: str, citation: Span, part: Span, others: Sequence[Span]) -> list[float]:
    """Where the citation stands, how many there are, and how the sentence begins."""
    start, end = citation
    cited = sentence[start:end]
    numbers = len(_NUMBER.findall(cited))
    dashed = "-" in cited or "–" in cited
    return [
        *(start / max(1, len(sentence)), len(sentence) - end, len(sentence), sentence.count(" ")),
        *(len(others), sum(last <= start for _, last in others), numbers, dashed),
        *("et al" in sentence[max(0, start - 12) : start], start - part[0], part[1] - end),
        *(bool(opening.match(sentence)) for opening in _OPENINGS),
        *(sentence.count(sign) for sign in "(,?"),
    ]
