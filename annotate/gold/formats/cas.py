"""UIMA CAS XMI, as INCEpTION reads it: sentences, named entities and a layer of its own for the labels.

Sentence and NamedEntity are the types of DKPro Core, which INCEpTION has built in; for the labels create its layer
`webanno.custom.KeySentence` (span, sentence level) with the text feature `label`. Offsets are UTF-16 code units there,
which dkpro-cassis counts. What XML cannot hold stands there as U+FFFD, one code unit for another.
"""

from collections.abc import Iterable, Iterator

from cassis import Cas, TypeSystem, load_dkpro_core_typesystem

from annotate.gold.formats.documents import GoldDocument, named, packed
from annotate.project.files.characters import NOT_IN_XML

LABEL = "webanno.custom.KeySentence"
SENTENCE = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Sentence"
ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"


@packed
def as_cas(documents: Iterable[GoldDocument]) -> Iterator[tuple[str, bytes]]:
    """A zip of KEY.xmi for each article and the type system that they share."""
    types = load_dkpro_core_typesystem()
    label = types.create_type(LABEL, supertypeName="uima.tcas.Annotation")
    types.create_feature(label, name="label", rangeType="uima.cas.String")
    yield "TypeSystem.xml", types.to_xml().encode()
    for name, document in named(documents):
        yield f"{name}.xmi", _cas(document, types).to_xmi().encode()


def _cas(document: GoldDocument, types: TypeSystem) -> Cas:
    text = NOT_IN_XML.sub("\ufffd", document.text)
    cas = Cas(typesystem=types, sofa_string=text, sofa_mime="text/plain", document_language="en")
    sentence, entity, label = map(types.get_type, (SENTENCE, ENTITY, LABEL))
    cas.add_all(sentence(begin=start, end=end) for start, end in document.sentences)
    cas.add_all(label(begin=each.start, end=each.end, label=each.type) for each in document.labelled)
    cas.add_all(
        entity(begin=each.start, end=each.end, value=each.type, identifier=",".join(each.identifiers) or None)
        for each in document.mentions
    )
    return cas
