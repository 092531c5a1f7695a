"""Webhook: events sent to an address that an admin chose."""

from annotate.capabilities.capability import Capability

CAPABILITY = Capability()
