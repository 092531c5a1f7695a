"""Words that decide where a sentence of science text ends: abbreviations, openers, labels. For `sentence_rules`."""

# Never the last word of a sentence: words that point at what follows.
NEVER_FINAL = frozenset(
    "approx aff ca cf e.g eg eq eqn eqns eqs equ esp excl fig figs i.e ie incl ref refs resp suppl tab tabs viz vs "
    "v.s w.r.t".split()
)
# Never final either, but only with this capital: "ms" and "mt" are milliseconds and mitochondrial.
TITLES = frozenset("Dr Drs Mr Mrs Ms Mt Prof St".split())
CAPITALS = frozenset("FIG FIGS NO NOS TAB VS EQ REF".split())  # abbreviations also when all in capitals
# Final or not: a sentence ends there when a listed opener follows (Punkt's frequent sentence starters).
MAYBE_FINAL = frozenset(
    "al bros co comm corp cv d.c dept e.u gen inc jr ltd nov obs p.r pers ph.d sp spp sr ssp subsp u.k u.s u.s.a "
    "univ unpubl var".split()
)
ABBREVIATIONS = NEVER_FINAL | TITLES | MAYBE_FINAL
# Abbreviations before a number only; "no", "art", "min" or "app" also end sentences as plain words.
BEFORE_NUMBER = frozenset(
    "app art ch chap chr ed eds ext fn max min no nos nr p pg pos pp sec sect ser suppl ver vol vols "
    "jan feb mar apr jun jul aug sep sept oct nov dec".split()
)

# Words seldom capitalised inside a sentence; the commonest first words of sentences in the 92 articles.
OPENERS = frozenset(
    "according accordingly additionally after all also although among an and another any as at based because before "
    "besides both briefly but by collectively compared consequently consistent conversely despite due during each "
    "either even finally first firstly following for from further furthermore given he hence here however if "
    "importantly in indeed instead interestingly it its lastly many moreover most neither nevertheless next none "
    "nonetheless not notably note now of on once one only other our overall previous previously rather recent "
    "recently second secondly see several she similar similarly since so some specifically subsequently such "
    "surprisingly taken that the their then there therefore these they third thirdly this those three thus to "
    "together two under unlike until using we what when whereas whether which while with within without".split()
)
# After these a single letter is an initial; after another word in lower case it names a thing: "vitamin C. Mice".
BEFORE_NAMES = frozenset(
    "and as at between but by classic for from in into like of on or see than that the to towards via with "
    "author colleague colleagues friend president professor species student".split()
)
# Capital after "S.": the serovars of Salmonella are the only names of species so written.
SEROVARS = ("Typhi", "Enter", "Paratyphi", "Dublin", "Newport", "Heidelberg", "Infantis", "Gallinarum", "Cholerae")
# "Figure 1. Mean weights" is one sentence: the label alone says nothing.
LABELS = (
    r"(?:(?:supp\w*\.?|additional|online|extended\ data)\s)?"
    r"(?:fig(?:ure)?s?\.?|tables?|schemes?|box|movie|video|file|text|data\s?set|step|theorem|lemma|algorithm|"
    r"appendix|section|part|panel)"
)
