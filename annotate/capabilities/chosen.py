"""The optional parts that are on, a line for each. Their steps are taken in this order."""

from annotate.capabilities import encoders, entities, experiments, finding, llm, related, roles, search

CAPABILITIES = (
    search.CAPABILITY,
    finding.CAPABILITY,
    entities.CAPABILITY,
    roles.CAPABILITY,
    related.CAPABILITY,
    encoders.CAPABILITY,
    experiments.CAPABILITY,
    llm.CAPABILITY,
)
