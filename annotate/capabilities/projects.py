"""Several projects on one server."""

from annotate.capabilities.capability import Capability

CAPABILITY = Capability()
