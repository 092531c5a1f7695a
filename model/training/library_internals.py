"""The private names of libraries that this product uses: here, and nowhere else in it.

A private name may change with any release. `SEEN_IN` has the releases in which these were read; a test runs each
function below and names the library, so that an upgrade shows at once what has to be looked at again.
"""

from typing import Any

# Library -> the release in which the private names used below were last read.
SEEN_IN = {"transformers": "5.23.0"}


def attention_of(model: Any) -> str:
    """The name of the attention that a transformer computes with, such as "sdpa"; to be set by its public setter.

    transformers: `config._attn_implementation`, which no public name reads.
    """
    name: str = model.config._attn_implementation
    return name


def attention_can_be_chosen(model: Any) -> bool:
    """Whether a transformer takes its attention from the registry, to which anybody can add one.

    transformers: `_supports_attention_backend`, a mark of the class.
    """
    return bool(model._supports_attention_backend)
