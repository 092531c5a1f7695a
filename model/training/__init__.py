"""Fine-tuning of a sentence encoder: settings, losses, batches, the loop, its checkpoints and its validation.

In: labelled articles, an encoder's folder, settings. Out: a folder with the fine-tuned encoder, losses and scores. All
but `settings` and `pairs` need torch.
"""
