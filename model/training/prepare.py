"""Changes to an encoder before it is trained, as its settings ask: pooling, length, and a token for the query."""

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling
from tokenizers import AddedToken

from model.encoder import cut_at
from model.proposing.query import QUERY_TOKEN
from model.training.settings import Pooling as PoolingSetting
from model.training.settings import TokenStart, TrainingSettings


def prepare(encoder: SentenceTransformer, settings: TrainingSettings) -> None:
    """Sets pooling and length and adds the fresh token, in place; all are saved with the encoder and loaded again.

    Does nothing that was done already: a version that has the token keeps what it learnt. Raises ValueError for an
    encoder without a pooling or a word embedding that could be changed.
    """
    if settings.pooling is not PoolingSetting.OWN:
        _pool(encoder, str(settings.pooling))
    if settings.max_tokens is not None:
        cut_at(encoder, settings.max_tokens)
    if settings.has_query_token:
        _add_query_token(encoder, settings)


def _pool(encoder: SentenceTransformer, mode: str) -> None:
    for name, module in encoder.named_children():
        if isinstance(module, Pooling):
            if module.pooling_mode != mode:
                setattr(encoder, name, Pooling(module.embedding_dimension, pooling_mode=mode))
            return
    raise ValueError(f"this encoder has no pooling that could be set to {mode}")


def _add_query_token(encoder: SentenceTransformer, settings: TrainingSettings) -> None:
    if QUERY_TOKEN in encoder.tokenizer.get_vocab():
        return
    model = next((m for m in encoder.modules() if hasattr(m, "resize_token_embeddings")), None)
    if model is None:
        raise ValueError(f"this encoder has no word embedding that {QUERY_TOKEN} could be added to")
    encoder.tokenizer.add_tokens([AddedToken(QUERY_TOKEN, normalized=False)], special_tokens=True)
    embedding = model.get_input_embeddings()
    spread = float(embedding.weight.detach().std())
    number = encoder.tokenizer.convert_tokens_to_ids(QUERY_TOKEN)
    if number >= embedding.num_embeddings:
        model.resize_token_embeddings(len(encoder.tokenizer), mean_resizing=False)
    start = torch.zeros(model.get_input_embeddings().embedding_dim)
    if settings.token_start is TokenStart.RANDOM:
        generator = torch.Generator().manual_seed(settings.seed)
        start = torch.randn(len(start), generator=generator) * spread
    with torch.no_grad():
        model.get_input_embeddings().weight[number] = start
