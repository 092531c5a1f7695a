"""Studies: experiments on labelled corpora, and simulations of query strategies."""

from annotate.capabilities.capability import Capability
from annotate.experiments.experiments import experiment
from annotate.experiments.simulations import simulate

CAPABILITY = Capability(jobs={"experiment": experiment, "simulate": simulate})
