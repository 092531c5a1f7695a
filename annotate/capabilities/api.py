"""The API for programs: routes of the app, and nothing else."""

from annotate.capabilities.capability import Capability

CAPABILITY = Capability()
