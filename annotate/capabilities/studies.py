"""Studies: experiments on labelled corpora, and simulations of query strategies."""

from annotate.capabilities.capability import Capability
from annotate.studies.experiments import experiment
from annotate.studies.simulations import simulate

CAPABILITY = Capability(jobs={"experiment": experiment, "simulate": simulate})
