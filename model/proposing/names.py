"""Patterns of names: one that people gave, in the spellings that texts have of it."""

import re
from collections.abc import Iterable, Sequence

from model.names import DASH, LEFT, RIGHT, composed, run_pattern
from model.proposing.bounded import Bounded, Wording
from model.proposing.rules import Naming, Style

_GAP = rf"[\s{DASH}_./,+']"


def names_pattern(names: Iterable[str], naming: Naming) -> Wording | None:
    """Finds any of these names in a composed text, its text as the group `name`, of symbols the suffix as `behind`.

    None where no name is long enough to be looked for: a single letter or digit is not.
    """
    parts = {part for name in names for part in _parts(composed(name)[0])}
    if naming.style is Style.SYMBOL:
        return _symbols(parts, naming) if parts else None
    phrases = {pattern for part in parts for pattern in _phrase_patterns(part, naming)}
    if not phrases:
        return None
    bodies = "|".join(sorted(phrases, key=lambda p: (-len(p), p)))
    return _compiled(rf"{LEFT}(?P<name>{bodies})(?P<behind>){RIGHT}", re.I, naming)


def _compiled(pattern: str, flags: int, naming: Naming) -> Wording:
    return Bounded(pattern, flags, naming.place) if naming.place else re.compile(pattern, flags)


def _symbols(names: set[str], naming: Naming) -> Wording:
    bodies = "|".join(_symbol_pattern(name, naming) for name in sorted(names, key=lambda n: (-len(n), n)))
    glued = ""
    if naming.inside and (long := "|".join(re.escape(name) for name in sorted(names) if len(name) > 3)):
        glued = rf"|(?<=[a-z])(?=(?:{long})(?:{naming.inside}))"
    before = rf"(?:{naming.before})?" if naming.before else ""
    behind = rf"(?:(?P<behind>{naming.behind}))?" if naming.behind else "(?P<behind>)"
    return _compiled(rf"(?:{LEFT}{before}{glued})(?P<name>{bodies}){behind}{RIGHT}", 0, naming)


def _parts(name: str) -> Iterable[str]:
    """A name without its brackets, and what the brackets hold: "rice (Oryza sativa)"; too short ones are left out."""
    outer = re.sub(r"\s*[(\[][^()\[\]]*[)\]]", "", name)
    parts = (outer, *re.findall(r"[(\[]([^()\[\]]*)[)\]]", name))
    return (part.strip() for part in parts if len(re.sub(r"[\W_]", "", part)) > 1)


def _runs(name: str) -> list[str]:
    return re.findall(r"[α-ωΑ-Ω]|\d+|[^\W\d_α-ωΑ-Ω]+", name)


def _joined(runs: Sequence[str], gap_pattern: str) -> str:
    """The runs as one pattern; between two digits some gap must stay (L3.6 is not L36)."""
    pattern = ""
    for before, run in zip(("", *runs), runs, strict=False):
        gap_here = "" if not before else gap_pattern + ("{1,2}" if before.isdigit() and run.isdigit() else "{0,2}")
        # TNFa, but not "factor a".
        pattern += gap_here + run_pattern(run, before, gap_pattern, latin=r"\s" not in gap_pattern)
    return pattern


def _symbol_pattern(name: str, naming: Naming) -> str:
    """Long names and symbols with a digit ignore case. A short symbol of letters alone matches as given, in capitals or
    in Title case. At a sentence's start Title case matches only before a word of `title_before`: KIT is neither "kit"
    nor "Kit components"."""
    runs = _runs(name) or [name]
    if re.search(r"\s", name) or max(map(len, runs)) >= 7:
        return rf"(?i:{_joined(runs, _GAP)}s?)"
    hyphened = _joined(runs, rf"[{DASH}_./,]")
    if re.search(r"\d|[α-ωΑ-Ω]", name):
        spaced = "|".join({_joined(form, r"\s") for form in (tuple(runs), tuple(r.upper() for r in runs))})
        return f"(?i:{hyphened})|{spaced}"
    upper = _joined([run.upper() for run in runs], rf"[{DASH}_./]")
    title = re.escape(name[:1].upper() + name[1:].lower())
    followed = rf"|{title}(?={naming.title_before})" if naming.title_before else ""
    guarded = rf"(?:(?<![.!?]\s)(?<!^){title}{followed})"
    exact = [] if name == name[:1].upper() + name[1:].lower() else [hyphened]
    return "|".join([*exact, upper, guarded])


def _phrase_patterns(name: str, naming: Naming) -> list[str]:
    """A name with or without its head noun and origin, plural; other words for its last one; S. mansoni."""
    ends = (name, name.rsplit(maxsplit=1)[-1])
    patterns = [words for words in naming.words if any(_compiled(words, re.I, naming).fullmatch(end) for end in ends)]
    binomial = re.match(r"([A-Z])[a-z]+ ([a-z]{4,})", name)
    if binomial:
        patterns.append(rf"(?:{binomial[0]}|{binomial[1]}\. ?{binomial[2]})")
    head = _compiled(rf"\s+(?:{naming.own_heads})$" if naming.own_heads else r"(?!)", re.I, naming)
    core = head.sub("", name)
    if naming.origins:
        core = _compiled(rf"^(?:{naming.origins})\s+(?=\S)", re.I, naming).sub("", core)
    if naming.own_before:
        core = _compiled(rf"^(?:{naming.own_before})", 0, naming).sub("", core)
    core = re.sub(r"(?<=[a-z0-9A-Z]{3})(?<!s)s$", "", core)
    if patterns and re.search(r"\d", core):  # "C57BL/6 mouse" is also "C57BL/6"
        core = core.rsplit(maxsplit=1)[0]
    runs = _runs(core)
    if len("".join(runs)) < 2:
        return patterns
    before = rf"(?:{naming.before})?" if naming.before else ""
    body = f"{before}{_joined(runs, _GAP)}"
    if not naming.heads:
        return [*patterns, f"{body}s?"]
    # Of three letters it may be an acronym of something else, so it needs its plural or a head noun.
    acronym = len(core) <= 3 and core.isalpha() and head.search(name)
    after = rf"{_GAP}(?:{naming.heads})"
    return [*patterns, f"{body}(?:s|{after})" if acronym else f"{body}s?(?:{after})?"]
