"""The optional parts that are on, a line for each. Their steps are taken in this order."""

from annotate.capabilities import encoders, entities, finding, functions, llm, related, search, studies

CAPABILITIES = (
    search.CAPABILITY,
    finding.CAPABILITY,
    entities.CAPABILITY,
    functions.CAPABILITY,
    related.CAPABILITY,
    encoders.CAPABILITY,
    studies.CAPABILITY,
    llm.CAPABILITY,
)
