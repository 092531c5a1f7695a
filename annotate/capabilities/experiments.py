"""Studies: experiments on labelled corpora, and simulations of query strategies."""

from functools import partial

from annotate.capabilities.capability import Capability
from annotate.experiments.experiments import EXPERIMENT
from annotate.experiments.simulations import SIMULATION
from annotate.experiments.studies import carry_out

CAPABILITY = Capability(jobs={kind.job: partial(carry_out, kind) for kind in (EXPERIMENT, SIMULATION)})
