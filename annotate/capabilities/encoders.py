"""Encoders compared on small tasks; a new version is compared with its parent there."""

from annotate.capabilities.capability import Capability
from annotate.encoders.job import compare_encoders, score_beside_parent

CAPABILITY = Capability(
    needs=("entities",),
    jobs={"encoders": compare_encoders},
    after_training=(score_beside_parent,),
    commands=("encoders",),
)
