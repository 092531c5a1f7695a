"""A large language model, asked what each sentence is worth."""

from annotate.capabilities.capability import Capability
from annotate.llm.llm_comparison import ask_language_model

CAPABILITY = Capability(jobs={"llm": ask_language_model})
